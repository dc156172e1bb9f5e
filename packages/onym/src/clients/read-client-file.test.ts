// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import type { ClientFormat } from "./client.js";
import { mergeServers } from "./merge-servers.js";
import { type ReadServer, readClientFile } from "./read-client-file.js";

function read(value: unknown, format: ClientFormat = "json"): readonly ReadServer[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const result = readClientFile(text, { format, project: "/work" });
  if (!("servers" in result) || result.servers === undefined) throw new Error(JSON.stringify(result));
  return result.servers;
}

function entries(value: unknown, format?: ClientFormat) {
  return read(value, format).map(({ id, carried }) => [
    id,
    "entry" in carried ? carried.entry : carried.reason,
  ]);
}

describe("the token of a server in a LiteLLM config", () => {
  it.each([
    ["bearer_token", { Authorization: "Bearer ${T}" }],
    ["token", { Authorization: "token ${T}" }],
    ["authorization", { Authorization: "${T}" }],
    ["api_key", { "X-API-Key": "${T}" }],
    ["none", undefined],
  ])("is sent as %s asks", (auth_type, headers) => {
    const server = { url: "https://x/mcp", auth_type, auth_value: "os.environ/T" };
    const found = entries({ model_list: [], mcp_servers: { a: server } });
    expect(found).toEqual([["a", { url: "https://x/mcp", headers }]]);
  });
});

describe("the files of clients", () => {
  it.each([
    [
      "Claude Desktop",
      { mcpServers: { a: { command: "x", args: ["1", 2], env: { N: 1, Z: null } } } },
      { command: "x", args: ["1", "2"], env: { N: "1" } },
    ],
    [
      "VS Code",
      { servers: { a: { type: "http", url: "https://x", headers: { A: "b" } } } },
      { type: "http", url: "https://x", headers: { A: "b" } },
    ],
    [
      "VS Code settings",
      { mcp: { servers: { a: { command: "x", envFile: ".env" } } } },
      { command: "x", envFile: ".env" },
    ],
    ["Windsurf", { mcpServers: { a: { serverUrl: "https://x" } } }, { url: "https://x" }],
    [
      "Gemini CLI",
      { mcpServers: { a: { httpUrl: "https://x", includeTools: ["t"] } } },
      { url: "https://x", toolFilters: ["t"] },
    ],
    [
      "Cline",
      { mcpServers: { a: { type: "streamableHttp", url: "https://x", disabled: true } } },
      { type: "http", url: "https://x", disabled: true },
    ],
    ["Zed", { context_servers: { a: { source: "custom", command: "x", env: {} } } }, { command: "x" }],
    [
      "older Zed",
      { context_servers: { a: { command: { path: "x", args: ["1"], env: { A: "b" } } } } },
      { command: "x", args: ["1"], env: { A: "b" } },
    ],
    [
      "OpenCode",
      { mcp: { a: { type: "local", command: ["x", "1"], environment: { K: "{env:T}" } } } },
      { command: "x", args: ["1"], env: { K: "${T}" } },
    ],
    ["Amp", { "amp.mcpServers": { a: { url: "https://x" } } }, { url: "https://x" }],
    [
      "Claude Code in this folder",
      {
        projects: {
          "/work": { mcpServers: { a: { command: "x" } } },
          "/other": { mcpServers: { b: { command: "y" } } },
        },
      },
      { command: "x" },
    ],
    ["MetaMCP", { mcpServers: { a: { type: "SSE", url: "https://x" } } }, { type: "sse", url: "https://x" }],
    [
      "mcp-proxy",
      {
        mcpProxy: {},
        mcpServers: { a: { command: "x", options: { toolFilter: { mode: "allow", list: ["t"] } } } },
      },
      { command: "x", toolFilters: ["t"] },
    ],
    ["a static list", { mcpServers: { a: { tools: ["t"] } } }, { tools: ["t"] }],
  ])("%s", (_, value, expected) => {
    expect(entries(value)).toEqual([["a", expected]]);
  });

  it("Codex, in TOML", () => {
    const toml = [
      '[mcp_servers."my docs"]',
      'url = "https://x"',
      'bearer_token_env_var = "T"',
      'http_headers = { A = "b" }',
      'env_http_headers = { C = "D" }',
      "enabled = false",
    ];
    const headers = { A: "b", C: "${D}", Authorization: "Bearer ${T}" };
    expect(entries(toml.join("\n"), "toml")).toEqual([
      ["my docs", { url: "https://x", headers, disabled: true }],
    ]);
  });

  it("tells what an entry lacks, and what cannot be carried over", () => {
    expect(entries({ mcpServers: { a: {}, b: 1 } })).toEqual([
      ["a", "it has no command and no url"],
      ["b", "it is no object"],
    ]);
    const [hidden] = read({ mcpServers: { a: { command: "x", disabled_resources: ["file:///r"] } } });
    expect(hidden?.carried).toMatchObject({ notes: [expect.stringContaining('"file:///r"')] });
  });

  it("carries over which tools are hidden (NAME-8)", () => {
    const [hidden] = read({ mcpServers: { a: { command: "x", excludeTools: ["t"] } } });
    expect(hidden?.carried).toMatchObject({
      entry: { command: "x", toolFilters: ["*", "!t"] },
      notes: [],
      mentions: ["t"],
    });
  });

  it.each([
    ["{", "json", "line 1"],
    ["a = [", "toml", "it is not TOML"],
    ["a: [", "yaml", "line 1: it is not YAML"],
  ] as const)("refuses %s as %s", (text, format, reason) => {
    expect(readClientFile(text, { format })).toEqual({ reason: expect.stringContaining(reason) });
  });

  it("takes ids that are keys of every object for what they are (SAFE-1)", () => {
    const text = '{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}';
    expect(entries(text).map(([id]) => id)).toEqual(["__proto__", "constructor"]);
    expect(readClientFile('{"theme": "dark"}', { format: "json" })).toMatchObject({ servers: undefined });
  });
});

describe("one config from several files", () => {
  it("says where the second of two shows other tools (NAME-8)", () => {
    const hides = { command: "x", disabledTools: ["rm"] };
    const { notes } = mergeServers([
      read({ mcpServers: { a: { command: "x" } } }),
      read({ mcpServers: { a: hides } }),
    ]);
    expect(notes).toEqual([expect.stringContaining('"a" was found twice, with other tools shown')]);
  });

  it("has one launch once, and another launch under another id", () => {
    const x = { command: "x", env: { A: "1", B: "2" } };
    const again = { env: { B: "2", A: "1" }, command: "x", disabled: false };
    const { servers, outcomes, notes } = mergeServers([
      read({ mcpServers: { a: x, "Git Hub": { command: "g" } } }),
      read({ mcpServers: { a: again, b: x, "git-hub": { command: "h" }, onym: { command: "onym" } } }),
      read({ mcpServers: { a: { command: "y" } } }),
    ]);
    expect(servers.map(({ id }) => id)).toEqual(["a", "Git Hub", "git-hub-2", "a-2"]);
    expect(outcomes[1]).toEqual([
      { outcome: "same", id: "a", as: "a" },
      { outcome: "same", id: "b", as: "a" },
      { outcome: "added", id: "git-hub", as: "git-hub-2" },
      { outcome: "left-out", id: "onym", reason: "it starts Onym itself" },
    ]);
    expect(notes).toEqual([
      '"git-hub" has the same integration as "Git Hub"; the second is called "git-hub-2".',
      '"a" was found twice, started in different ways (another command, argument or variable); the second is called "a-2".',
    ]);
  });
});
