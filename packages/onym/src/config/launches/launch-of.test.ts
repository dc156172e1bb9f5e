// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { type Launch, launchFingerprint } from "../../model/launch.js";
import { readConfig } from "../read-config.js";
import type { LaunchInput } from "./launch-input.js";
import { launchOf } from "./launch-of.js";
import { isProjectFile } from "./place-server.js";

const folder = resolve("/project");
const files = new Map([
  [join(folder, ".env"), "A=file\nB='two words' # yes\nexport C=\"x\\ny\"\n\n# no\nD=1 # one\n"],
  [join(folder, "bad.env"), "A=1\nnot an assignment sk-secret\n"],
]);
const readText = (file: string) => {
  const text = files.get(file);
  return text === undefined ? { reason: "there is no such file" } : { text };
};

function read(entry: object, at = folder, more: Partial<LaunchInput> = {}) {
  const { servers } = readConfig(JSON.stringify({ mcpServers: { a: entry } }), {
    file: "onym.json",
    folder: at,
    isClientFile: false,
    env: { TOKEN: "t" },
    readText,
  });
  const [server] = servers;
  if (server === undefined) throw new Error("no server");
  return launchOf(server, { folder: at, env: { HOME: "/home/me" }, readText, ...more });
}

function launch(entry: object, at = folder, more: Partial<LaunchInput> = {}): Launch {
  const result = read(entry, at, more);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.launch;
}

it("has the shape that the downstream side takes", () => {
  expectTypeOf<Launch>().toExtend<Launch>();
});

describe("what is started", () => {
  it("takes command, arguments and environment: numbers are text, null is left out", () => {
    const env = { N: 1, GONE: null, T: "${TOKEN}" };
    expect(launch({ command: "npx", args: ["-y", "x"], env })).toEqual({
      ownFolder: expect.stringMatching(/^\/home\/me\/.*onym\/servers\/a-[0-9a-f]{12}$/i),
      kind: "stdio",
      command: "npx",
      args: ["-y", "x"],
      env: new Map([
        ["N", "1"],
        ["T", "t"],
      ]),
      cwd: folder,
      variables: new Map([["TOKEN", "t"]]),
    });
  });

  it("knows which variables its entry was filled in with, wherever they stand, and nothing of other entries", () => {
    const places = [
      { command: "x", args: ["--token=${TOKEN}"] },
      { command: "x", cwd: "${TOKEN}" },
      { command: "x", isolation: ["y", "${env:TOKEN}"] },
      { url: "https://x/${TOKEN}" },
      { url: "https://x", headers: { A: "Bearer ${TOKEN:-none}" } },
    ];
    for (const entry of places)
      expect(launch(entry), JSON.stringify(entry)).toMatchObject({ variables: new Map([["TOKEN", "t"]]) });
    expect(launch({ command: "x", args: ["${OTHER:-t}", "$${TOKEN}"] })).not.toHaveProperty("variables");
    expect(launchFingerprint(launch({ command: "x", args: ["${TOKEN}"] }))).toBe(
      launchFingerprint(launch({ command: "x", args: ["t"] })),
    );
  });

  it("reads an env file, which env beats, and starts in a folder relative to the config", () => {
    const result = launch({ command: "x", envFile: ".env", env: { A: "own", D: null }, cwd: "sub" });
    expect(result).toMatchObject({ cwd: join(folder, "sub") });
    expect("env" in result && [...result.env]).toEqual([
      ["A", "own"],
      ["B", "two words"],
      ["C", "x\ny"],
    ]);
  });

  it("fills in the folders that editors mean", () => {
    const args = ["${workspaceFolder}/x", "${userHome}", "$${literal}", "${workspaceFolderBasename}"];
    expect(launch({ command: "x", args }, join(folder, ".vscode"))).toMatchObject({
      args: [`${folder}/x`, "/home/me", "${literal}", "project"],
      cwd: folder,
    });
  });
});

describe("where it starts (SAFE-7)", () => {
  const place = mkdtempSync(join(tmpdir(), "onym-place-"));
  mkdirSync(join(place, "docs"));
  for (const name of ["server.mjs", "module.py", "package.json"]) writeFileSync(join(place, name), "");
  afterAll(() => rmSync(place, { recursive: true }));
  const startOf = (entry: object, more: Partial<LaunchInput> = {}) => {
    const started = launch(entry, place, more);
    return started.kind === "stdio" ? (started.ownFolder ?? started.cwd) : "";
  };

  it.each([
    [{ command: "node", args: ["/opt/server.mjs"] }],
    [{ command: "/usr/bin/server" }],
    [{ command: "server", args: ["--port", "1", "none.mjs", ""] }],
    [{ command: "uvx", args: ["mcp-server-git"] }],
  ])("%j: in a folder of its own", (entry) => {
    expect(startOf(entry)).toMatch(/onym.servers.a-[0-9a-f]{12}$/);
  });

  it.each([
    [{ command: "node", args: ["server.mjs"] }],
    [{ command: "node", args: ["--import=./server.mjs", "/opt/x"] }],
    [{ command: "./server.sh" }],
    [{ command: "files", args: ["docs"] }],
    [{ command: "files", args: ["."] }],
    [{ command: "python", args: ["-m", "module"] }],
    [{ command: "npx", args: ["own-server"] }],
    [{ command: "x", cwd: "." }],
  ])("%j: in the folder of the config, which its words are about", (entry) => {
    expect(startOf(entry)).toBe(place);
  });

  it("in the project where the config is a client's file of that project, as under that client", () => {
    expect(startOf({ command: "x" }, { isProjectFile: true })).toBe(place);
    const files = ["/p/.mcp.json", ".mcp.json", "/p/.vscode/mcp.json", "/p/.cursor/mcp.json"];
    expect(files.map(isProjectFile)).toEqual([true, true, true, true]);
    expect(["onym.json", "/p/mcp.json", "/p/.vscode/x/mcp.json"].map(isProjectFile)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("with a folder for each server of each config", () => {
    const folders = [
      startOf({ command: "x" }),
      (launch({ command: "x" }) as { readonly ownFolder?: string }).ownFolder,
    ];
    expect(new Set(folders).size).toBe(2);
  });

  it("and behind what isolates it, which an approval is bound to", () => {
    const prefix = launch({ command: "x", isolation: ["sudo", "-u", "mcp", "--"] });
    expect(prefix).toMatchObject({ isolation: { kind: "prefix", words: ["sudo", "-u", "mcp", "--"] } });
    const boxed = launch({ command: "x", isolation: "bubblewrap" }, folder, {
      own: { files: ["/s"], envFiles: ["/project/a.env", "/project/.env"], folders: ["/state"] },
    });
    const walls = { kind: "bubblewrap", writesCwd: false, fixed: [], folders: ["/state"] };
    const hidden = ["/s", "/project/a.env", "/project/.env"];
    expect(boxed).toMatchObject({ isolation: { ...walls, hidden } });
    const plain = launch({ command: "x" });
    const none = launch({ command: "x", isolation: "none" });
    expect(none).toEqual(plain);
    const prints = [prefix, boxed, plain].map((one) => launchFingerprint(one));
    expect(new Set(prints).size).toBe(3);
  });
});

describe("what is connected to", () => {
  it.each([
    [{ url: "https://x/mcp" }, "http"],
    [{ url: "https://x/sse" }, "sse"],
    [{ url: "https://x/sse", type: "http" }, "http"],
    [{ httpUrl: "https://x/mcp" }, "http"],
    [{ serverUrl: "https://x/mcp", headers: { A: "b" } }, "http"],
    [{ url: "https://x/mcp", type: "streamable-http" }, "http"],
    [{ url: "https://x/mcp", type: "streamableHttp" }, "http"],
    [{ url: "https://x/mcp", transport: "sse" }, "sse"],
    [{ url: "https://x/mcp", type: "sse", command: "x" }, "sse"],
    [{ url: "https://x/mcp", command: "x" }, "stdio"],
    [{ tools: ["x"] }, "static"],
    [{ tools: ["x"], command: "x" }, "stdio"],
  ])("%j: %s", (entry, kind) => {
    expect(launch(entry).kind).toBe(kind);
  });
});

describe("what is refused, with path and fix (CFG-2)", () => {
  it.each([
    [{ command: "x", envFile: "no.env" }, "unreadable-file mcpServers.a.envFile"],
    [{ command: "x", envFile: "bad.env" }, "bad-env-file mcpServers.a.envFile"],
    [{ url: "ftp://x/mcp" }, "bad-url mcpServers.a.url"],
    [{ serverUrl: "x" }, "bad-url mcpServers.a.serverUrl"],
    [{ url: "https://x", type: "ws" }, "unsupported-transport mcpServers.a.type"],
    [{ url: "https://x", type: "htp" }, "wrong-type mcpServers.a.type"],
    [{ url: "https://x", type: "stdio" }, "missing-key mcpServers.a.type"],
    [{ command: "x", type: "http" }, "missing-key mcpServers.a.type"],
    [{ command: " " }, "bad-command mcpServers.a.command"],
    [{ command: "x", args: ["a\0b"] }, "bad-command mcpServers.a.command"],
    [{ command: "x", isolation: [] }, "bad-command mcpServers.a.isolation"],
    [{ command: "x", isolation: [" "] }, "bad-command mcpServers.a.isolation"],
    [{ command: "x", env: { "A=B": "c" } }, 'bad-environment mcpServers.a.env["A=B"]'],
    [{ url: "https://x", headers: { A: "b\r\nC: d" } }, "bad-header mcpServers.a.headers.A"],
    [{ url: "https://x", headers: { "A B": "c" } }, 'bad-header mcpServers.a.headers["A B"]'],
    [{ command: "x", args: ["${input:key}"] }, "editor-variable mcpServers.a.args[0]"],
    [{ command: "x", env: { K: "${env:NOT_SET}" } }, "missing-variable mcpServers.a.env.K"],
  ])("%j", (entry, expected) => {
    const result = read(entry);
    const problems = "problems" in result ? result.problems : [];
    expect(problems.map(({ code, path }) => `${code} ${path}`)).toEqual([expected]);
    expect(problems[0]?.fix).not.toBe("");
    expect(JSON.stringify(problems)).not.toContain("sk-secret");
  });
});
