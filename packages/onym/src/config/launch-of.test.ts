// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { join, resolve } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Launch } from "../downstream/launch.js";
import { launchOf, type ServerLaunch } from "./launch-of.js";
import { readConfig } from "./read-config.js";

const folder = resolve("/project");
const files = new Map([
  [join(folder, ".env"), "A=file\nB='two words' # yes\nexport C=\"x\\ny\"\n\n# no\nD=1 # one\n"],
  [join(folder, "bad.env"), "A=1\nnot an assignment sk-secret\n"],
]);
const readText = (file: string) => {
  const text = files.get(file);
  return text === undefined ? { reason: "there is no such file" } : { text };
};

function read(entry: object, at = folder) {
  const { servers } = readConfig(JSON.stringify({ mcpServers: { a: entry } }), {
    file: "onym.json",
    folder: at,
    isClientFile: false,
    env: { TOKEN: "t" },
    readText,
  });
  const [server] = servers;
  if (server === undefined) throw new Error("no server");
  return launchOf(server, { folder: at, env: { HOME: "/home/me" }, readText });
}

function launch(entry: object, at = folder): ServerLaunch {
  const result = read(entry, at);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.launch;
}

it("has the shape that the downstream side takes", () => {
  expectTypeOf<ServerLaunch>().toExtend<Launch>();
});

describe("what is started", () => {
  it("takes command, arguments and environment: numbers are text, null is left out", () => {
    const env = { N: 1, GONE: null, T: "${TOKEN}" };
    expect(launch({ command: "npx", args: ["-y", "x"], env })).toEqual({
      kind: "stdio",
      command: "npx",
      args: ["-y", "x"],
      env: new Map([
        ["N", "1"],
        ["T", "t"],
      ]),
      cwd: folder,
    });
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
