// onym add, list, remove, enable and disable as their users meet them: the built program, real servers, a home of its own (CFG-6).

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, runOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";

const MEMORY = [
  process.execPath,
  join(projectRoot, "node_modules/@modelcontextprotocol/server-memory/dist/index.js"),
];
function newMachine(config?: string) {
  const home = newFolder();
  const file = join(home, ".config/onym/onym.json");
  mkdirSync(join(home, "work"));
  if (config !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, config);
  }
  const run = (...args: readonly string[]) => runOnym(join(home, "work"), args, { env: { HOME: home } });
  return { home, file, run, text: () => readFileSync(file, "utf8") };
}

describe("onym add", () => {
  it("starts the server once, shows its tools and their names, and makes the user's config (CFG-6)", () => {
    const { run, file, text } = newMachine();
    const { code, out } = run("add", "memory", "--env", "MEMORY_FILE_PATH=/dev/null", "--", ...MEMORY);
    expect(code).toBe(0);
    expect(out).toContain("✓ memory added to ~/.config/onym/onym.json: 9 tools.");
    expect(out).toMatch(/^search_nodes +memory_search_nodes$/m);
    const entry = { command: MEMORY[0], args: MEMORY.slice(1), env: { MEMORY_FILE_PATH: "/dev/null" } };
    expect(JSON.parse(text())).toEqual({ mcpServers: { memory: entry } });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(run("names", "--profile", "cursor").out).toContain("memory_search_nodes");
    expect(run("add", "memory", "--env", "MEMORY_FILE_PATH=/dev/null", "--", ...MEMORY).out).toContain(
      "already",
    );
    expect(run("add", "memory", "--", ...MEMORY)).toMatchObject({ code: 2, out: "" });
  });

  it("ends with the next step: a client to connect, or those that have it now", () => {
    const { run, home } = newMachine();
    const [first, again] = [
      () => run("add", "memory", "--", ...MEMORY).out,
      () => run("add", "memory", "--", ...MEMORY).out,
    ];
    expect(first()).toContain("\nNext: onym connect lists your clients and connects one to Onym.\n");
    const onym = { command: "npx", args: ["onym", "serve"] };
    writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { onym } }));
    expect(again()).toContain("\nClaude Code gets these tools through Onym.\n");
  });

  it.each(["./server.js", "server.js"])("names a file that is missing as it was typed: %s", (typed) => {
    const { run, file } = newMachine();
    const missing = run("add", "x", "--", process.execPath, typed);
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringContaining(`"x" does not start: "${typed}" is not in this folder.\n`),
    });
    expect(missing.err).not.toContain(".local/state");
    expect(existsSync(file)).toBe(false);
  });

  it("adds a server that does not start only with --force, and says why", () => {
    const { run, file, text } = newMachine();
    const args = [
      "add",
      "bad",
      "--env",
      "TOKEN=very-secret",
      "--",
      process.execPath,
      "-e",
      "process.exit(3)",
    ];
    const refused = run(...args);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("it exited with code 3") });
    expect(existsSync(file)).toBe(false);
    const forced = run(...args.slice(0, 2), "--force", ...args.slice(2));
    expect(forced.code).toBe(0);
    expect(JSON.parse(text()).mcpServers.bad.env).toEqual({ TOKEN: "very-secret" });
    const listed = run("list");
    expect(listed.out).toMatch(/^bad +on +\S+ -e process\.exit\(3\)$/m);
    expect(JSON.stringify([refused, forced, listed, run("list", "--json")])).not.toContain("very-secret");
  });

  it("says of a command that is not there that it is not there, on a machine without a config, too", () => {
    const { run } = newMachine();
    const { code, err } = run("add", "gone", "--", "no-such-command-anywhere");
    expect(code).toBe(1);
    expect(err).toContain("was not found on PATH");
  });

  it.each(["./server.mjs", "server.mjs"])(
    "writes files of this folder out, because servers start in a folder of their own: %s",
    (typed) => {
      const { run, home, text } = newMachine();
      const script = join(home, "work/server.mjs");
      writeFileSync(script, `await import(${JSON.stringify(MEMORY[1])});`);
      expect(run("add", "mine", "--", process.execPath, typed, "server.mj")).toMatchObject({ code: 0 });
      expect(JSON.parse(text()).mcpServers.mine.args).toEqual([script, "server.mj"]);
    },
  );

  it("reads a server.json, and asks the environment for what only the user knows", () => {
    const { run, home, text } = newMachine();
    const server = {
      name: "io.example/weather",
      packages: [
        {
          registryType: "npm",
          identifier: "@example/weather",
          version: "1.2.3",
          transport: { type: "stdio" },
          packageArguments: [
            { type: "positional", value: "serve" },
            { type: "named", name: "--units", value: "c" },
          ],
          environmentVariables: [
            { name: "API_KEY", isRequired: true, isSecret: true },
            { name: "CACHE", isRequired: false },
          ],
        },
      ],
    };
    writeFileSync(join(home, "server.json"), JSON.stringify(server));
    const { code, err } = run("add", "--from", "../server.json", "--force");
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("Set API_KEY in the environment"),
    });
    expect(JSON.parse(text()).mcpServers).toEqual({
      weather: {
        command: "npx",
        args: ["-y", "@example/weather@1.2.3", "serve", "--units", "c"],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: what the config holds.
        env: { API_KEY: "${API_KEY}" },
      },
    });
  });

  it.each([
    [["add", "x"], "Tell Onym how to reach the server"],
    [["add", "x", "node", "server.js"], 'Unexpected argument "node"'],
    [["add", "x", "https://example.com/mcp"], "For a URL use --url"],
    [["add", "x", "--"], "There is nothing after --"],
    [["add", "x", "--url", "ftp://a"], "not a valid HTTP address"],
    [["add", "x", "--url", "https://a", "--", "node"], "in one way only"],
    [["add", "--", "node"], "has no name"],
    [["add", "x", "--env", "NOPE", "--", "node"], "--env takes NAME=VALUE"],
  ])("refuses %j", (args, message) => {
    expect(newMachine().run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe("a config with comments", () => {
  const TEXT = [
    "{",
    "  // mine",
    '  "mcpServers": {',
    '    "one": { "tools": ["a"] }, // first',
    "    // the second",
    '    "two": { "tools": ["b"] }',
    "  },",
    '  "naming": { "style": "flat" } // kept',
    "}",
    "",
  ].join("\n");

  it("keeps everything that a command is not about (CFG-6)", () => {
    const { run, text } = newMachine(TEXT);
    expect(run("disable", "two").code).toBe(0);
    expect(text()).toBe(TEXT.replace('{ "tools": ["b"] }', '{ "tools": ["b"], "disabled": true }'));
    expect(run("list").out).toMatch(/^two +off +/m);
    expect(run("enable", "two").code).toBe(0);
    expect(text()).toBe(TEXT);
    expect(run("remove", "one").code).toBe(0);
    expect(text()).toBe(TEXT.replace('    "one": { "tools": ["a"] }, // first\n', ""));
    expect(run("remove", "tow").err).toContain('Did you mean "two"?');
  });

  it("is left alone where it cannot be read", () => {
    const { run, text } = newMachine("{ oops");
    for (const args of [["list"], ["remove", "x"], ["add", "x", "--url", "https://x.example/mcp"]])
      expect(run(...args)).toMatchObject({ code: 2, err: expect.stringContaining("cannot be read: line 1") });
    expect(text()).toBe("{ oops");
  });
});

it("shows files below home as ~/…, where tools are on record and where there is no config", () => {
  const { run, file } = newMachine(
    JSON.stringify({ mcpServers: { memory: { command: MEMORY[0], args: MEMORY.slice(1) } } }),
  );
  expect(run("lock").out).toContain("~/.config/onym/onym.lock written");
  for (const args of [["names"], ["resolve", "memory_read_graph"]])
    expect(run(...args).err).toContain("tools are those on record in ~/.config/onym/onym.lock as of");
  writeFileSync(file, '{"mcpServers": {}, "strange": 1}');
  expect(run("names").err).toMatch(/^error: ~\/\.config\/onym\/onym\.json:1:\d+ /);
  rmSync(file);
  expect(run("names").err).toContain("onym add NAME -- COMMAND adds a server by itself.");
  expect(run("names").err).toContain("and no ~/.config/onym/onym.json.");
});
