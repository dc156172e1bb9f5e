// What a client switches off or restricts is off and restricted behind Onym, or is said (LOCK-7, NAME-8).

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, serverWith } from "./cli/connect-machine.js";

const gh = serverWith("search", "delete_repo", "drop-db");
const ok = serverWith("fine");
const BOTH = { mcpServers: { gh, ok } };
const OFF = { ...gh, disabled: true };

type Files = Readonly<Record<string, unknown>>;

describe("a server that is off in the client is off in Onym", () => {
  it.each<readonly [string, string, string, Files, object]>([
    ["gemini-cli", "mcp.excluded", ".gemini/settings.json", { mcp: { excluded: ["gh"] } }, {}],
    ["gemini-cli", "mcp.allowed", ".gemini/settings.json", { mcp: { allowed: ["ok", "onym"] } }, {}],
    ["gemini-cli", "excludeMCPServers", ".gemini/settings.json", { excludeMCPServers: ["gh"] }, {}],
    [
      "gemini-cli",
      "gemini mcp disable",
      ".gemini/settings.json",
      {},
      { ".gemini/mcp-server-enablement.json": { gh: { enabled: false }, ok: { enabled: true } } },
    ],
    ["qwen-code", "mcp.excluded", ".qwen/settings.json", { mcp: { excluded: ["g?"] } }, {}],
    ["qwen-code", "mcp.allowed", ".qwen/settings.json", { mcp: { allowed: ["ok", "onym"] } }, {}],
  ])("%s: %s", async (id, _, file, settings, others) => {
    const { run, write, read, config } = newMachine();
    const before = write(file, { ...BOTH, ...settings });
    for (const [path, content] of Object.entries(others)) write(path, content);
    const { code, out, err } = await run("connect", id, "--yes");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(config().mcpServers).toEqual({ gh: OFF, ok });
    expect(out).toMatch(/gh +moves to Onym's config, disabled/);
    expect(await run("connect", id, "--undo")).toMatchObject({ code: 0 });
    expect(read(file)).toBe(before);
  });

  it.each<readonly [string, (project: string) => Files]>([
    [
      "~/.claude.json",
      (project) => ({ ".claude.json": { projects: { [project]: { disabledMcpServers: ["gh"] } } } }),
    ],
    [
      "of .mcp.json",
      (project) => ({ ".claude.json": { projects: { [project]: { disabledMcpjsonServers: ["gh"] } } } }),
    ],
    ["the user's settings", () => ({ ".claude/settings.json": { disabledMcpjsonServers: ["gh"] } })],
    [
      "the project's settings",
      () => ({ "work/.claude/settings.local.json": { disabledMcpjsonServers: ["gh"] } }),
    ],
  ])("Claude Code, for a project: %s", async (_, filesOf) => {
    const { run, write, config, project } = newMachine();
    write("work/.mcp.json", BOTH);
    for (const [path, content] of Object.entries(filesOf(project))) write(path, content);
    await run("trust", join(project, ".mcp.json"), "--yes");
    expect(await run("connect", "claude-code", "--file", ".mcp.json", "--yes")).toMatchObject({ code: 0 });
    expect(config().mcpServers).toMatchObject({ gh: { disabled: true } });
    expect(config().mcpServers.ok).not.toHaveProperty("disabled");
  });

  it("Claude Code, in this folder: what is there for it alone is off, what is there everywhere is said", async () => {
    const { run, write, config, project } = newMachine();
    const own = { mcpServers: { gh }, disabledMcpServers: ["gh", "ok"] };
    write(".claude.json", {
      mcpServers: { ok },
      projects: { [project]: own, "/other": { disabledMcpServers: ["ok"] } },
    });
    const { err } = await run("connect", "claude-code", "--yes");
    expect(config().mcpServers).toEqual({ gh: OFF, ok });
    expect(err.replace(/\s+/g, " ")).toMatch(
      /"ok" is off in .*, \/other \(disabledMcpServers\), and that is not carried over/,
    );
  });

  it("says so where the config has it already, and has it on", async () => {
    const { run, write, config } = newMachine();
    write(".config/onym/onym.json", { mcpServers: { gh } });
    write(".gemini/settings.json", { ...BOTH, mcp: { excluded: ["gh"] } });
    const { err } = await run("connect", "gemini-cli", "--yes");
    expect(config().mcpServers).toEqual({ gh, ok });
    expect(err.replace(/\s+/g, " ")).toContain(
      '"gh" was found twice, disabled in one place only; it is not disabled now',
    );
  });

  it("says so where a list keeps Onym itself off", async () => {
    const { run, write } = newMachine();
    write(".gemini/settings.json", { ...BOTH, mcp: { allowed: ["ok"] } });
    const { err } = await run("connect", "gemini-cli", "--yes");
    expect(err.replace(/\s+/g, " ")).toContain('Gemini CLI does not start "onym": "mcp.allowed" in ');
  });

  it("stops where a file that may switch servers off cannot be read", async () => {
    const { run, write, read } = newMachine();
    const before = write(".gemini/settings.json", BOTH);
    write(".gemini/mcp-server-enablement.json", "{ oops");
    const { code, err } = await run("connect", "gemini-cli", "--yes");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("mcp-server-enablement.json") });
    expect(read(".gemini/settings.json")).toBe(before);
  });

  it("and in a first config, and one that is imported", async () => {
    const { run, write, read } = newMachine();
    write(".gemini/settings.json", {
      ...BOTH,
      mcp: { excluded: ["gh"] },
      tools: { exclude: ["mcp_ok_fine"] },
    });
    const imported = JSON.parse((await run("import", "../.gemini/settings.json", "--json")).out).config;
    await run("init");
    for (const { mcpServers } of [imported, JSON.parse(read("work/onym.json"))])
      expect(mcpServers).toMatchObject({ gh: { disabled: true }, ok: { toolFilters: ["*", "!fine"] } });
  });
});

describe("a list of tools in an entry", () => {
  it.each([
    ["some", ["search"], { ...gh, toolFilters: ["search"] }],
    ["none", [], { ...gh, toolFilters: [] }],
    ["all", ["*"], gh],
  ])("of Copilot CLI shows %s", async (_, tools, expected) => {
    const { run, write, config } = newMachine();
    write(".copilot/mcp-config.json", { mcpServers: { gh: { type: "local", ...gh, tools } } });
    expect(await run("connect", "copilot-cli", "--yes")).toMatchObject({ code: 0, err: "" });
    expect(config().mcpServers).toEqual({ gh: expected });
  });

  it("of Goose shows some", async () => {
    const { run, write, config } = newMachine();
    const entry = { type: "stdio", name: "gh", cmd: gh.command, args: gh.args, available_tools: ["search"] };
    write(".config/goose/config.yaml", { extensions: { gh: { enabled: true, ...entry } } });
    await run("connect", "goose", "--yes");
    expect(config().mcpServers).toEqual({ gh: { ...gh, toolFilters: ["search"] } });
  });
});

describe("tools that are excluded are denied", () => {
  const DENIED = [{ effect: "deny", tool: ["gh@1/delete_repo@1"] }];
  const POLICY = '[[rule]]\ndecision = "deny"\npriority = 100\ntoolName = ';

  it.each<readonly [string, string, Files]>([
    [
      "gemini-cli",
      "as shown",
      { ".gemini/settings.json": { ...BOTH, tools: { exclude: ["mcp_gh_delete_repo"] } } },
    ],
    [
      "gemini-cli",
      "raw",
      { ".gemini/settings.json": { ...BOTH, tools: { exclude: ["delete_repo", "web_fetch"] } } },
    ],
    [
      "gemini-cli",
      "in older settings",
      { ".gemini/settings.json": { ...BOTH, excludeTools: ["delete_repo"] } },
    ],
    [
      "gemini-cli",
      "by a policy with a name alone",
      { ".gemini/settings.json": BOTH, ".gemini/policies/a.toml": `${POLICY}"mcp_gh_delete_repo"\n` },
    ],
    [
      "qwen-code",
      "as shown",
      { ".qwen/settings.json": { ...BOTH, tools: { exclude: ["mcp__gh__delete_repo"] } } },
    ],
    [
      "opencode",
      "by an object",
      {
        ".config/opencode/opencode.json": {
          mcp: { gh: { type: "local", command: [gh.command, ...gh.args] } },
          permission: { gh_delete_repo: { "*": "deny" } },
        },
      },
    ],
  ])("%s: %s", async (id, _, files) => {
    const { run, write, read, config } = newMachine();
    const before = Object.entries(files).map(([path, content]) => [path, write(path, content)] as const);
    expect(await run("connect", id, "--yes")).toMatchObject({ code: 0, err: "" });
    expect(config().policy.rules).toMatchObject(DENIED);
    expect(config().policy.rules).toHaveLength(1);
    await run("connect", id, "--undo");
    for (const [path, text] of before) expect(read(path)).toBe(text);
  });

  it("also of a server that is off, whose tools are not known", async () => {
    const { run, write, config } = newMachine();
    write(".gemini/settings.json", { ...BOTH, mcp: { excluded: ["gh"] }, tools: { exclude: ["drop-db"] } });
    await run("connect", "gemini-cli", "--yes");
    expect(config().policy.rules).toMatchObject([{ effect: "deny", server: "gh", tool: ["*@*/drop-db@*"] }]);
  });

  it.each<readonly [string, Files, string]>([
    [
      "opencode",
      {
        ".config/opencode/opencode.json": {
          mcp: { gh: { type: "local", command: [gh.command, ...gh.args] } },
          agent: { plan: { permission: { gh_delete_repo: "deny" } } },
        },
      },
      "denies gh_delete_repo in agent.plan, and that is not carried over",
    ],
    [
      "claude-code",
      {
        ".claude.json": { mcpServers: { gh } },
        ".claude/settings.json": { permissions: { deny: ["mcp__gh__delete_repo(*)"] } },
      },
      "deny mcp__gh__delete_repo(*): the client takes no parentheses",
    ],
  ])("%s: what cannot be carried is said", async (id, files, said) => {
    const { run, write, config } = newMachine();
    for (const [path, content] of Object.entries(files)) write(path, content);
    const { out, err } = await run("connect", id, "--yes");
    expect(err.replace(/\s+/g, " ")).toContain(said);
    expect(out).not.toContain("now a rule");
    expect(config()).not.toHaveProperty("policy");
  });
});
