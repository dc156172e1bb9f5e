// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import { OnymError } from "../model/onym-error.js";
import type { ConfigProblem } from "./config-problem.js";
import { type ReadConfigInput, readConfig } from "./read-config.js";

const files = new Map([
  ["tools.json", '{"tools": [{"name": "a"}, "b"]}'],
  [
    "answer.json",
    '{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "description": "${NOT_A_VARIABLE}"}]}}',
  ],
  ["bad.json", '{"tools": [\n  {"nome": "a"}\n]}'],
  ["none.json", "{}"],
  ["rules.json", '{"acme": {"pattern": "^[a-z_]{1,20}$"}, "cursor": {"maxTools": 7}}'],
  ["bad-rules.json", '{\n  "acme": {"pattern": "^[a-z"},\n  "cursor": {"maxTolls": 7}\n}'],
  ["bad-pattern.json", '{\n  "acme": {"pattern": "^[a-z"}\n}'],
]);
const INPUT: ReadConfigInput = {
  file: "onym.json",
  folder: "/project",
  isClientFile: false,
  env: { TOKEN: "t" },
  readText: (file) => {
    const text = files.get(file);
    return text === undefined ? { reason: "there is no such file" } : { text };
  },
};

function read(value: unknown, input: Partial<ReadConfigInput> = {}) {
  return readConfig(typeof value === "string" ? value : JSON.stringify(value, null, 2), {
    ...INPUT,
    ...input,
  });
}

function mistakes(value: unknown, input: Partial<ReadConfigInput> = {}): readonly string[] {
  try {
    read(value, input);
  } catch (error) {
    if (!(error instanceof OnymError)) throw error;
    return (error.cause as readonly ConfigProblem[]).map(({ code, path, place }) =>
      `${place.file}:${place.line}:${place.column} ${code} ${path}`.trimEnd(),
    );
  }
  return [];
}

describe("files read as they are (CFG-1)", () => {
  it.each([
    [
      "Claude Desktop and Cursor",
      { mcpServers: { a: { command: "npx", args: ["-y", "x"], env: { K: "v" } } } },
    ],
    ["VS Code", { servers: { a: { type: "stdio", command: "x", envFile: ".env" } }, inputs: [{ id: "k" }] }],
    ["Cline", { mcpServers: { a: { command: "x", disabled: false, autoApprove: [], timeout: 60 } } }],
    ["Windsurf", { mcpServers: { a: { serverUrl: "https://example.com/mcp", headers: {} } } }],
    ["GitHub Copilot", { mcpServers: { a: { type: "local", command: "x", tools: ["*"] } } }],
  ])("%s", (_, value) => {
    const { servers } = read(value);
    expect(servers.map(({ source, isStatic }) => [source.server, isStatic])).toEqual([["a", false]]);
  });

  it("the shapes that clients really write, each with its own keys (Claude Desktop, Claude Code, Cursor, VS Code, workbench)", () => {
    const launches = (value: unknown, input: Partial<ReadConfigInput> = {}) =>
      read(value, input).servers.map(({ path, entry, unfilled }) => [
        path,
        entry.command ?? entry.url,
        unfilled.length,
      ]);
    const filesystem = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/data"] };
    expect(launches({ mcpServers: { filesystem }, globalShortcut: "", scale: 1 })).toEqual([
      ["mcpServers.filesystem", "npx", 0],
    ]);
    expect(
      launches(
        {
          mcpServers: {
            github: {
              type: "http",
              url: "${BASE:-https://api.example.com}/mcp",
              headers: { Authorization: "Bearer ${TOKEN}" },
            },
            files: { type: "stdio", command: "npx", args: ["x"], env: {} },
          },
        },
        { file: ".mcp.json", isClientFile: true },
      ),
    ).toEqual([
      ["mcpServers.github", "https://api.example.com/mcp", 0],
      ["mcpServers.files", "npx", 0],
    ]);
    const cursor = {
      command: "uvx",
      args: ["y"],
      env: { KEY: "${env:TOKEN}" },
      envFile: "${workspaceFolder}/.env",
    };
    expect(launches({ mcpServers: { cursor } })).toEqual([["mcpServers.cursor", "uvx", 0]]);
    const perplexity = { type: "promptString", id: "key", description: "API Key", password: true };
    expect(
      launches({
        inputs: [perplexity],
        servers: {
          asks: { type: "stdio", command: "npx", args: ["z"], env: { KEY: "${input:key}" } },
          remote: { type: "http", url: "https://example.com/mcp", headers: { A: "${input:key}" } },
        },
      }),
    ).toEqual([
      ["servers.asks", "npx", 0],
      ["servers.remote", "https://example.com/mcp", 0],
    ]);
    const workbench = {
      _comment: "Example",
      toolboxes: {
        dev: {
          description: "Development",
          mcpServers: {
            fs: { ...filesystem, env: { ROOT: "${ROOT}", LEVEL: "${LEVEL:-debug}" }, toolFilters: ["*"] },
          },
        },
      },
    };
    expect(launches(workbench, { isWorkbench: true, isClientFile: true })).toEqual([
      ["toolboxes.dev.mcpServers.fs", "npx", 1],
    ]);
  });

  it("what VS Code's gallery writes: a version that is a text is not Onym's", () => {
    const gallery = { type: "http", url: "https://example.com/mcp", gallery: "https://x", version: "1.0.3" };
    const { servers } = read({ servers: { a: gallery, b: { command: "x", version: 2 } } });
    expect(servers.map(({ source }) => source.version)).toEqual([undefined, 2]);
  });

  it("the servers in VS Code's settings.json", () => {
    const value = { "editor.tabSize": 2, mcp: { servers: { a: { tools: ["x"] } }, inputs: [] } };
    const { servers } = read(value, { isClientFile: true });
    expect(servers.map(({ path }) => path)).toEqual(["mcp.servers.a"]);
  });

  it("Claude Code's own file, with a note about the servers of projects", () => {
    const projects = { "/a": { mcpServers: { x: { command: "c" } }, history: [] }, "/b": {} };
    const config = read({ mcpServers: { a: { tools: [] } }, projects, numStartups: 1 });
    expect(config.servers).toHaveLength(1);
    expect(config.notes).toEqual([expect.stringContaining('1 server under "projects" was not read')]);
    expect(read({ mcpServers: {} }).notes).toEqual([]);
  });

  it("workbench files", () => {
    const config = read({
      toolMode: "dynamic",
      toolboxes: { dev: { description: "d", mcpServers: { fs: { command: "x", toolFilters: ["*"] } } } },
    });
    expect(config.mode).toBe("dynamic");
    expect(config.servers[0]?.source).toEqual({ server: "fs", toolbox: "dev", tools: [] });
  });

  it("workbench files without a mode, which is dynamic there and not in Onym's own (BOX-9)", () => {
    const toolboxes = { dev: { _comment: "c", mcpServers: { fs: { command: "x", _comment: "d" } } } };
    const value = { _comment: "a", _documentation: "b", "//": "e", toolboxes };
    expect(read(value, { isWorkbench: true, isClientFile: true }).mode).toBe("dynamic");
    expect(read({ ...value, toolMode: "proxy" }, { isWorkbench: true }).mode).toBe("proxy");
    expect(read(value).mode).toBeUndefined();
  });

  it("comments, trailing commas and a byte order mark", () => {
    const { servers } = read('\uFEFF{\n // mine\n "mcpServers": {"a": {"tools": ["x",],}, /* end */},\n}');
    expect(servers[0]?.source.tools).toEqual(["x"]);
  });

  it("passes over what a client keeps at the top of its own file, and nowhere else", () => {
    const value = { mcpServers: {}, numStartups: 4, note: "${NO} ${" };
    expect(mistakes(value, { isClientFile: true })).toEqual([]);
    expect(mistakes(value)).toEqual([
      "onym.json:3:3 unknown-key numStartups",
      "onym.json:4:3 unknown-key note",
    ]);
    expect(mistakes({ globalShortcut: "x", preferences: {} })).toEqual([]);
    expect(mistakes({ mcpServer: {} }, { isClientFile: true })).toEqual([
      "onym.json:2:3 unknown-key mcpServer",
    ]);
  });

  it("leaves disabled servers out, whatever is wrong with them", () => {
    expect(read({ mcpServers: { a: { disabled: true, command: "${NO}", alais: 1 } } }).servers).toEqual([]);
  });
});

describe("mistakes (CFG-2)", () => {
  it.each([
    ["nothing", "", ["onym.json:1:1 bad-json"]],
    ["half an object", '{"a"', ["onym.json:1:5 bad-json"]],
    ["a list", "[]", ["onym.json:1:1 wrong-type"]],
    ["null", "null", ["onym.json:1:1 wrong-type"]],
    ["deep nesting", "[".repeat(100_000), ["onym.json:1:257 bad-json"]],
    [
      "a server twice",
      '{"mcpServers": {"a": {"tools": []}, "a": {"tools": []}}}',
      ["onym.json:1:37 duplicate-key mcpServers.a"],
    ],
    ["a section twice", '{"mcpServers": {}, "mcpServers": {}}', ["onym.json:1:20 duplicate-key mcpServers"]],
  ])("%s", (_, text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it.each([
    [
      "a missing variable of a toolbox",
      { toolboxes: { a: { description: "${NO}" } } },
      "missing-variable toolboxes.a.description",
    ],
    ["a missing variable of the store", { store: "${NO}" }, "missing-variable store"],
    [
      "a missing variable of the policy",
      { policy: { rules: [{ effect: "deny", tool: "${NO}" }] } },
      "missing-variable policy.rules[0].tool",
    ],
    [
      "what only an editor can fill in, in who may connect",
      { auth: { tokens: [{ name: "${input:who}", hash: `sha256:${"0".repeat(64)}` }] } },
      "editor-variable auth.tokens[0].name",
    ],
    ["an editor's form of a variable that is not set", { store: "${env:NO}" }, "editor-variable store"],
    ["bad syntax", { mcpServers: { a: { url: "${", tools: [] } } }, "bad-variable mcpServers.a.url"],
    [
      "a key that is nearly ours",
      { mcpServers: { a: { tools: [], alais: "x" } } },
      "unknown-key mcpServers.a.alais",
    ],
    [
      "a key nobody knows, where nothing is run",
      { mcpServers: { a: { tools: [], colour: "x" } } },
      "unknown-key mcpServers.a.colour",
    ],
    [
      "a near miss beside a command",
      { mcpServers: { a: { command: "c", tool: ["x"] } } },
      "unknown-key mcpServers.a.tool",
    ],
    [
      "a near miss instead of a command",
      { mcpServers: { a: { comand: "x" } } },
      "unknown-key mcpServers.a.comand",
    ],
    ["a near miss instead of tools", { mcpServers: { a: { tool: ["x"] } } }, "unknown-key mcpServers.a.tool"],
    [
      "a bad toolbox id without servers (BOX-4)",
      { toolboxes: { a__b: {} } },
      "bad-toolbox-id toolboxes.a__b",
    ],
    ["a key of no section", { naming: { stile: "flat" } }, "unknown-key naming.stile"],
    ["a key of no toolbox", { toolboxes: { d: { servrs: {} } } }, "unknown-key toolboxes.d.servrs"],
    ["a key of no rename", { renames: [{ from: "a", to: "b", unti: "x" }] }, "unknown-key renames[0].unti"],
    [
      "a key of no rule",
      { policy: { rules: [{ effect: "ask", tol: "x" }] } },
      "unknown-key policy.rules[0].tol",
    ],
    [
      "a wrong type",
      { mcpServers: { "my files": { tools: [], version: "2" } } },
      'wrong-type mcpServers["my files"].version',
    ],
    ["version 0", { mcpServers: { a: { tools: [], version: 0 } } }, "wrong-type mcpServers.a.version"],
    ["a server that is a list", { mcpServers: { a: [] } }, "wrong-type mcpServers.a"],
    ["a server that gives nothing", { mcpServers: { a: { args: [] } } }, "missing-key mcpServers.a"],
    ["a wrong type under __proto__", '{"mcpServers": {"__proto__": 5}}', "wrong-type mcpServers.__proto__"],
    ["a profile nobody knows", { naming: { profile: "opnai" } }, "unknown-profile naming.profile"],
    [
      "a day that is none",
      { renames: [{ from: "a", to: "b", until: "2027-02-30" }] },
      "wrong-type renames[0].until",
    ],
    [
      "a version that is none",
      { renames: [{ from: "a", to: "b", since: "the last" }] },
      "wrong-type renames[0].since",
    ],
    [
      "no major version",
      { renames: [{ from: "a", to: "b", since: "2", majors: 0 }] },
      "wrong-type renames[0].majors",
    ],
    [
      "majors counted from nowhere",
      { renames: [{ from: "a", to: "b", majors: 2 }] },
      "no-since renames[0].majors",
    ],
    [
      "a day and a version",
      { renames: [{ from: "a", to: "b", until: "2027-02-28", since: "2.0.0" }] },
      "two-windows renames[0]",
    ],
    ["a mode that is none", { mode: "statik" }, "wrong-type mode"],
    ["no tools file", { mcpServers: { a: { tools: "no.json" } } }, "unreadable-file mcpServers.a.tools"],
    [
      "a tools file without tools",
      { mcpServers: { a: { tools: "none.json" } } },
      "wrong-type mcpServers.a.tools",
    ],
    [
      "a bad tools file",
      { mcpServers: { a: { tools: "bad.json" } } },
      "missing-key mcpServers.a.tools → tools[0].name",
    ],
  ])("%s", (_, value, expected) => {
    const found = mistakes(value);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(` ${expected}`);
  });

  it("takes one server down for a variable of its entry that is not set, and nothing else", () => {
    const { servers } = read({
      mcpServers: {
        a: { command: "x", env: { T: "${NO}" }, integration: "${ALSO}", alias: "${THIS}" },
        b: { tools: "${NO}/tools.json" },
        c: { tools: ["x"] },
      },
    });
    expect(servers.map(({ source, isStatic, unfilled }) => [source, isStatic, unfilled.length])).toEqual([
      [{ server: "a", tools: [] }, false, 3],
      [{ server: "b", tools: [] }, false, 1],
      [{ server: "c", tools: ["x"] }, true, 0],
    ]);
    expect(servers[0]?.unfilled[0]).toMatchObject({
      code: "missing-variable",
      path: "mcpServers.a.env.T",
      variable: "NO",
    });
  });

  it("tells all of them at once, in the order of the file, each with reason and fix", () => {
    const text = '{\n  "nameing": {},\n  "mcpServers": {"a": {"command": "${NO}", "version": 1.5}}\n}';
    expect(mistakes(text)).toEqual([
      "onym.json:2:3 unknown-key nameing",
      "onym.json:3:35 missing-variable mcpServers.a.command",
      "onym.json:3:44 wrong-type mcpServers.a.version",
    ]);
    expect(() => read(text)).toThrow(
      /nameing: There is no key "nameing" here\.\n {2}Did you mean "naming"\?/,
    );
  });

  it.each([
    [{ mcpServers: { a: { comand: "x" } } }, 'Did you mean "command"?'],
    [{ mcpServers: { a: { tool: ["x"] } } }, 'Did you mean "tools"?'],
    [{ mcpServers: { a: { tools: [], comand: "x" } } }, 'Did you mean "command"?'],
    [{ mcpServers: { a: { tools: [], colour: "x" } } }, "The keys here are tools, toolFilters,"],
    ['{"a": 1 "b": 2}', 'a comma is missing before "b".'],
    ['{"a"', "before the end."],
  ])("says what was meant: %j", (value, told) => {
    expect(() => read(value)).toThrow(OnymError);
    try {
      read(value);
    } catch (error) {
      const { message, hint } = error as OnymError;
      expect(`${message} ${hint}`).toContain(told);
    }
  });

  it("never advises to take out a key of another program", () => {
    expect(() => read({ projectz: {} })).toThrow(/no key "projectz"/);
    expect(
      mistakes({ mcpServers: { a: { command: "x", theirs: 1 }, b: { tools: [], timeout: 1 } } }),
    ).toEqual([]);
  });

  it("does not call a value that could not be filled in of the wrong type as well", () => {
    expect(mistakes({ mode: "${NO}" })).toEqual(["onym.json:2:11 missing-variable mode"]);
  });
});

describe("static tools (CFG-3)", () => {
  it("are texts or objects, with their places", () => {
    const [server] = read(
      '{"mcpServers": {"a": {\n "tools": ["x",\n {"name": "y", "version": 2}]}}}',
    ).servers;
    expect(server?.isStatic).toBe(true);
    expect(server?.source.tools).toEqual(["x", { name: "y", version: 2 }]);
    expect(server?.toolPlaces.get("y")).toEqual({ file: "onym.json", line: 3, column: 2 });
  });

  it("come from a file: a list, an object with one, or the answer to tools/list", () => {
    const config = read({ mcpServers: { a: { tools: "tools.json" }, b: { tools: "answer.json" } } });
    expect(config.servers.map(({ source }) => source.tools)).toEqual([
      [{ name: "a" }, "b"],
      [{ name: "a", description: "${NOT_A_VARIABLE}" }],
    ]);
  });

  it("are filtered (GW-13)", () => {
    const [server] = read({
      mcpServers: { a: { tools: ["read", "write", { name: "read_all" }], toolFilters: ["read*"] } },
    }).servers;
    expect(server?.source.tools).toEqual(["read", { name: "read_all" }]);
  });

  it("may have any names, and so may servers and pins (SAFE-1)", () => {
    const config = read(
      '{"mcpServers": {"__proto__": {"tools": ["__proto__", "constructor", "\\ud800"]}}, "naming": {"pins": {"__proto__": "x"}}}',
    );
    expect(config.servers[0]?.source).toEqual({
      server: "__proto__",
      tools: ["__proto__", "constructor", "\ud800"],
    });
    expect(Object.entries(config.naming.pins)).toEqual([["__proto__", "x"]]);
  });
});

describe("profiles (RULE-7)", () => {
  const acme = { pattern: "^[a-z_]{1,20}$" };

  it.each([
    ["in the config", { acme, cursor: { maxTools: 7 } }, undefined],
    ["in a file", "rules.json", "rules.json"],
  ])("add and correct rows %s", (_, profiles, file) => {
    const config = read({ profiles, naming: { profile: "acme" }, mcpServers: {} });
    expect(config.profiles.own.map(({ id }) => id)).toEqual(["acme", "cursor"]);
    expect(config.profiles.find("cursor")).toMatchObject({ maxTools: 7, client: { countsOnly: true } });
    expect(config.naming.profile).toBe("acme");
    expect(config.profilesFile).toBe(file);
    expect(read({}).profiles.own).toEqual([]);
  });

  it.each([
    [{ acme: { pattern: "^[a-z" } }, ["onym.json:3:5 bad-pattern profiles.acme"]],
    [{ "Acme!": acme }, ['onym.json:3:5 bad-id profiles["Acme!"]']],
    [{ acme: { ...acme, patern: "x" } }, ["onym.json:5:7 unknown-key profiles.acme.patern"]],
    [{ acme: { ...acme, cut: "knife" } }, ["onym.json:5:7 wrong-type profiles.acme.cut"]],
    [{ acme: { ...acme, maxLength: 0 } }, ["onym.json:5:7 wrong-type profiles.acme.maxLength"]],
    [{ cursor: { combinedMaxLength: 3, minLength: 9 } }, ["onym.json:3:5 bad-length profiles.cursor"]],
    [{ __proto__: null, acme: 5 }, ["onym.json:3:5 wrong-type profiles.acme"]],
    [7, ["onym.json:2:3 wrong-type profiles"]],
    ["gone.json", ["onym.json:2:3 unreadable-file profiles"]],
    ["bad-pattern.json", ["bad-pattern.json:2:3 bad-pattern acme"]],
    ["bad-rules.json", ["bad-rules.json:3:14 unknown-key cursor.maxTolls"]],
    ["none.json", []],
  ])("are checked like the built-in ones: %j", (profiles, expected) => {
    expect(mistakes({ profiles })).toEqual(expected);
  });

  it("are looked up where an id stands, and a near one is proposed", () => {
    expect(mistakes({ profiles: { acme }, naming: { profile: "acne" } })).toHaveLength(1);
    const hash = `sha256:${"0".repeat(64)}`;
    const tokens = (profile: string) => ({
      profiles: { acme },
      auth: { tokens: [{ name: "t", hash, profile }] },
    });
    expect(mistakes(tokens("acme"))).toEqual([]);
    expect(mistakes(tokens("acne"))).toHaveLength(1);
  });
});
