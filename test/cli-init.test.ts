// onym init and onym import as their users meet them: the built program, with a home of its own.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, runOnym } from "./cli/run-onym.js";

/** A folder with `home` and `project`, and these files in it. */
function machineWith(files: Readonly<Record<string, unknown>>): string {
  const folder = folderWith(files);
  for (const name of ["home", "project"]) mkdirSync(join(folder, name), { recursive: true });
  return folder;
}

function onym(machine: string, ...args: readonly string[]) {
  const HOME = join(machine, "home");
  const env = { HOME, USERPROFILE: HOME, APPDATA: join(HOME, ".config") };
  return runOnym(join(machine, "project"), args, { env });
}

function configOf(machine: string) {
  return JSON.parse(readFileSync(join(machine, "project/onym.json"), "utf8"));
}

const GITHUB = { command: "npx", args: ["-y", "@x/github"], env: { GITHUB_TOKEN: "ghp_literal" } };
const FILES = {
  "home/.cursor/mcp.json": {
    mcpServers: {
      github: GITHUB,
      onym: { command: "npx", args: ["-y", "onym", "serve"] },
      notes: { url: "https://n.example/mcp" },
    },
  },
  "home/.codex/config.toml": '[mcp_servers.notes]\ncommand = "notes"\nenabled_tools = ["search"]\n',
  "home/.config/goose/config.yaml": "extensions:\n  dev:\n    type: builtin\n",
  "project/.mcp.json": { mcpServers: { github: GITHUB } },
};

describe("onym init", () => {
  it("writes a config from the clients it finds, which the other commands read", () => {
    const machine = machineWith(FILES);
    const { code, out, err } = onym(machine, "init");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("onym.json written: 3 servers.") });
    expect(out).toMatch(/Claude Code\s+\.mcp\.json\s+github\n/);
    expect(out).toMatch(/github\s+the same again/);
    expect(out).toMatch(/onym\s+left out: it starts Onym itself/);
    expect(out).toMatch(/Goose\s+~\/\.config\/goose\/config\.yaml\s+dev\s+left out: it is a part of Goose/);
    expect(err).toContain("1 value in env and headers stands in the file as it is.");
    expect(err).toContain('"notes" was found twice');
    expect(out + err).not.toContain("ghp_literal");
    expect(configOf(machine).mcpServers).toEqual({
      github: GITHUB,
      notes: { command: "notes", toolFilters: ["search"] },
      "notes-2": { url: "https://n.example/mcp" },
    });
    if (process.platform !== "win32")
      expect(statSync(join(machine, "project/onym.json")).mode & 0o077).toBe(0);
    expect(onym(machine, "names", "--static").code).toBe(0);
  });

  it("has servers of a project's file start in the project, as the client of that file does (SAFE-7)", () => {
    const lint = { command: "lint", args: ["--watch"] };
    const machine = machineWith({
      "project/.mcp.json": { mcpServers: { lint, far: { url: "https://f.example/mcp" } } },
      "home/.cursor/mcp.json": { mcpServers: { mail: { command: "mail" } } },
    });
    expect(onym(machine, "init").code).toBe(0);
    expect(configOf(machine).mcpServers).toEqual({
      lint: { ...lint, cwd: "." },
      far: { url: "https://f.example/mcp" },
      mail: { command: "mail" },
    });
  });

  it("never writes over an onym.json unless told to, and nothing at all with --dry-run", () => {
    const machine = machineWith({ ...FILES, "project/onym.json": "mine" });
    expect(onym(machine, "init")).toMatchObject({ code: 2, err: expect.stringContaining("--force") });
    expect(onym(machine, "init", "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringContaining('"notes-2"'),
    });
    expect(onym(machine, "init", "--dry-run").out).not.toContain("ghp_literal");
    expect(readFileSync(join(machine, "project/onym.json"), "utf8")).toBe("mine");
    expect(onym(machine, "init", "--force").code).toBe(0);
    expect(configOf(machine).mcpServers).toHaveProperty("github");
  });

  it("reports to machines", () => {
    const machine = machineWith(FILES);
    const { code, out, err } = onym(machine, "init", "--dry-run", "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      status: "dry-run",
      file: "onym.json",
      servers: ["github", "notes", "notes-2"],
      files: expect.arrayContaining([
        {
          client: "goose",
          file: "~/.config/goose/config.yaml",
          entries: [{ outcome: "left-out", id: "dev", reason: "it is a part of Goose" }],
        },
      ]),
      config: { mcpServers: { github: { ...GITHUB, env: { GITHUB_TOKEN: "••••" } } } },
    });
    expect(out).not.toContain("ghp_literal");
    expect(existsSync(join(machine, "project/onym.json"))).toBe(false);
  });

  it("says what to do where there is nothing, and what is wrong with a file that cannot be read", () => {
    expect(onym(machineWith({}), "init")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/onym add NAME -- COMMAND adds a server to your own config[\s\S]*by hand/),
    });
    const broken = onym(machineWith({ "home/.cursor/mcp.json": "{" }), "init");
    expect(broken).toMatchObject({ code: 1, out: expect.stringMatching(/Cursor .* not read .* line 1/) });
  });

  it("prints how to register Onym, and never writes into a client's file", () => {
    const machine = machineWith(FILES);
    const before = readFileSync(join(machine, "home/.cursor/mcp.json"), "utf8");
    const cursor = onym(machine, "init", "--client", "cursor", "--as", "tools");
    expect(cursor).toMatchObject({ code: 0, err: "" });
    expect(cursor.out).toContain(join(machine, "home/.cursor/mcp.json"));
    expect(cursor.out).toContain("/mcp/cursor?as=tools");
    expect(cursor.out).toContain('It must be registered as "tools"');
    expect(readFileSync(join(machine, "home/.cursor/mcp.json"), "utf8")).toBe(before);
    const { ways } = JSON.parse(onym(machine, "init", "--client", "claude-code", "--json").out);
    expect(ways[0]).toMatchObject({ transport: "stdio", kind: "run", language: "sh" });
    // From a checkout nobody can tell whether the package is there for npx.
    expect(ways[0].text).toMatch(
      /^claude mcp add --scope user onym -- node \S+packages\/onym\/bin\/onym\.js serve --stdio --config \S+$/,
    );
    expect(onym(machine, "init", "--client").out).toMatch(/^claude-desktop +Claude Desktop$/m);
  });

  it.each([
    [["--client", "curser"], 'Did you mean "cursor"?'],
    [["--as", "x"], "--as goes with --client"],
    [["--client", "cursor", "--force"], "--force does not go with --client"],
    [["--dryrun"], "--dry-run"],
    [["here"], "too many arguments"],
  ])("refuses %j (exit 2)", (args, told) => {
    expect(onym(machineWith({}), "init", ...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(told),
    });
  });
});

describe("onym import", () => {
  const HUB = { mcpServers: { docs: { command: "x", autoApprove: ["search"] } } };

  it("keeps the names that the other tool used, so that they still resolve", () => {
    const machine = machineWith({ "project/servers.json": HUB });
    const { code, out, err } = onym(machine, "import", "servers.json", "--from", "mcp-hub");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: { docs: { command: "x" } },
      renames: [{ from: "docs__search", to: "docs@1/search@1", policy: "accept" }],
    });
    expect(err).toContain('1 old name of mcp-hub kept in "renames".');
    const config = { ...JSON.parse(out), mcpServers: { docs: { tools: ["search"] } } };
    writeFileSync(join(machine, "project/onym.json"), JSON.stringify(config));
    expect(onym(machine, "resolve", "docs__search")).toMatchObject({
      code: 0,
      out: expect.stringContaining("docs@1/search@1"),
    });
  });

  it.each([
    ["1mcp", { disabledTools: ["drop_all"] }],
    ["mcp-hub", { disabled_tools: ["drop_all"] }],
    ["gemini-cli", { excludeTools: ["drop_all"] }],
    ["mcp-proxy", { options: { toolFilter: { mode: "block", list: ["drop_all"] } } }],
  ])("keeps hidden what %s hid (NAME-8)", (from, hiding) => {
    const machine = machineWith({
      "project/servers.json": { mcpServers: { db: { tools: ["read", "drop_all"], ...hiding } } },
    });
    const args = ["import", "servers.json", "--from", from, "--out", "onym.json"];
    expect(onym(machine, ...args).code).toBe(0);
    expect(configOf(machine).mcpServers.db.toolFilters).toEqual(["*", "!drop_all"]);
    expect(onym(machine, "names").out).toBe("db_read  db@1/read@1\n");
    expect(onym(machine, "resolve", "drop_all").code).toBe(1);
    // The file itself, read as it is, hides it too.
    expect(onym(machine, "names", "--config", "servers.json").out).toBe("db_read  db@1/read@1\n");
  });

  it.each([["workbench-config.json"], ["boxes.json", "--from", "workbench"]])(
    "takes workbench files with their toolboxes and their mode: %s %s (BOX-9)",
    (file, ...args) => {
      const server = { tools: ["read"], toolFilters: ["*"] };
      const toolboxes = {
        dev: { description: "Development", mcpServers: { fs: server } },
        ops: { description: "Operations", mcpServers: { fs: { ...server, _comment: "c" } } },
      };
      const machine = machineWith({ [`project/${file}`]: { _comment: "x", toolboxes } });
      const ran = onym(machine, "import", file ?? "", ...args, "--out", "onym.json");
      expect(ran).toMatchObject({ code: 0, out: "✓ onym.json written: 2 servers.\n" });
      expect(ran.err).toContain("dev__fs__TOOL");
      expect(configOf(machine)).toMatchObject({
        mode: "dynamic",
        toolboxes: {
          dev: { description: "Development", mcpServers: { fs: server } },
          ops: { description: "Operations", mcpServers: { fs: server } },
        },
      });
    },
  );

  it("writes a file only where there is none, and reports to machines", () => {
    const machine = machineWith({ "project/servers.json": HUB });
    const args = ["import", "servers.json", "--out", "onym.json"];
    expect(onym(machine, ...args)).toMatchObject({ code: 0, out: "✓ onym.json written: 1 server.\n" });
    expect(onym(machine, ...args)).toMatchObject({ code: 2, err: expect.stringContaining("exists already") });
    const { out, err } = onym(machine, ...args, "--force", "--json");
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({ from: null, out: "onym.json", servers: ["docs"], renames: [] });
  });

  it.each([
    [["no.json"], "there is no such file"],
    [["a.yaml"], "it holds no MCP servers"],
    [["bad.yaml"], "it is not YAML"],
    [["empty.json"], "it holds no MCP servers"],
    [["bad.toml"], "it is not TOML"],
    [["servers.json", "--from", "mcp-hubb"], 'Did you mean "mcp-hub"?'],
    [["servers.json", "--force"], "--force goes with --out"],
    [[], "missing required argument"],
  ])("refuses %j (exit 2)", (args, told) => {
    const machine = machineWith({
      "project/servers.json": HUB,
      "project/a.yaml": "a: b",
      "project/bad.yaml": "a: [",
      "project/empty.json": "{}",
      "project/bad.toml": "a = [",
    });
    expect(onym(machine, "import", ...args)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(told),
    });
  });
});
