// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.
// onym connect for the file of a project (LOCK-7): what belongs to that folder goes on with its servers.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, SERVER, serverWith } from "./cli/connect-machine.js";

const gh = serverWith("search", "delete_repo", "delete_file");

/** A machine whose project has this file, trusted by its user. */
async function withProject(file: string, content: object) {
  const machine = newMachine();
  const text = machine.write(`work/${file}`, content);
  expect((await machine.run("trust", file, "--yes")).code).toBe(0);
  return { ...machine, text };
}

describe("permission lists of a project", () => {
  it.each([
    [
      "claude-code",
      ".mcp.json",
      { mcpServers: { gh } },
      "work/.claude/settings.json",
      { permissions: { deny: ["mcp__gh__delete_repo"] } },
    ],
    [
      "claude-code",
      ".mcp.json",
      { mcpServers: { gh } },
      "work/.claude/settings.local.json",
      { permissions: { deny: ["mcp__gh__delete_repo"] } },
    ],
    [
      "cursor",
      ".cursor/mcp.json",
      { mcpServers: { gh } },
      "work/.cursor/cli.json",
      { permissions: { deny: ["Mcp(gh:delete_repo)"] } },
    ],
    [
      "gemini-cli",
      ".gemini/settings.json",
      { mcpServers: { gh } },
      "work/.gemini/policies/mine.toml",
      '[[rule]]\nmcpName = "gh"\ntoolName = "delete_repo"\ndecision = "deny"\npriority = 1\n',
    ],
    [
      "opencode",
      "opencode.json",
      { mcp: { gh: { type: "local", command: [gh.command, ...gh.args] } } },
      ".config/opencode/opencode.json",
      { permission: { gh_delete_repo: "deny" } },
    ],
    [
      "qwen-code",
      ".qwen/settings.json",
      { mcpServers: { gh } },
      ".qwen/settings.json",
      { permissions: { deny: ["mcp__gh__delete_repo"] } },
    ],
  ])("of %s (%s): a deny that stands beside it goes on", async (id, file, servers, list, deny) => {
    const { run, write, read, config, text } = await withProject(file, servers);
    const before = write(list, deny);
    const connected = await run("connect", id, "--file", file, "--yes", "--json");
    expect(connected).toMatchObject({ code: 0 });
    expect(JSON.parse(connected.out).permissions).toMatchObject({
      carried: [{ effect: "deny", to: "policy" }],
      left: [],
    });
    expect(config().policy.rules).toMatchObject([{ effect: "deny", tool: ["gh@1/delete_repo@1"] }]);
    expect((await run("connect", id, "--undo")).code).toBe(0);
    expect(read(list)).toBe(before);
    expect(read(`work/${file}`)).toBe(text);
  });

  it("go on in the file that they stand in, where the client can hold them, and once where two say the same", async () => {
    const { run, write, read, config } = await withProject(".mcp.json", { mcpServers: { gh } });
    const deny = ["mcp__gh__delete_*"];
    const lists = [".claude/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"];
    const before = lists.map((list) => write(list, { permissions: { allow: ["mcp__gh__search"], deny } }));
    expect((await run("connect", "claude-code", "--file", ".mcp.json", "--yes")).code).toBe(0);
    for (const list of lists)
      expect(JSON.parse(read(list))).toEqual({ permissions: { allow: ["mcp__onym__gh_search"], deny } });
    expect(config().policy.rules).toHaveLength(1);
    expect((await run("connect", "claude-code", "--undo")).code).toBe(0);
    expect(lists.map(read)).toEqual(before);
  });

  it("are those beside the file, wherever the command is run", async () => {
    const { run, write, config } = await withProject("shop/.mcp.json", { mcpServers: { gh } });
    write("work/shop/.claude/settings.json", { permissions: { deny: ["mcp__gh__delete_repo"] } });
    write("work/.claude/settings.json", { permissions: { deny: ["mcp__gh__search"] } });
    expect((await run("connect", "claude-code", "--file", "shop/.mcp.json", "--yes")).code).toBe(0);
    expect(config().policy.rules).toMatchObject([{ effect: "deny", tool: ["gh@1/delete_repo@1"] }]);
  });

  it("stop everything where they cannot be read", async () => {
    const { run, write, read, text } = await withProject(".mcp.json", { mcpServers: { gh } });
    write("work/.claude/settings.local.json", "{ deny");
    const { code, err } = await run("connect", "claude-code", "--file", ".mcp.json", "--yes");
    expect(code).not.toBe(0);
    expect(err).toContain(".claude/settings.local.json of Claude Code cannot be read");
    expect(read("work/.mcp.json")).toBe(text);
  });

  it("are named where what stands there is not understood", async () => {
    const { run, write } = await withProject(".mcp.json", { mcpServers: { gh } });
    write("work/.claude/settings.json", { permissions: { deny: "mcp__gh__delete_repo" } });
    const { out } = await run("connect", "claude-code", "--file", ".mcp.json", "--yes", "--json");
    expect(JSON.parse(out).notes).toContainEqual(
      '"permissions.deny" in .claude/settings.json is no list of texts: nothing of it was carried over.',
    );
  });
});

describe("the user's own file, connected in a folder with lists of its own", () => {
  const lists = {
    permissions: { deny: ["mcp__gh__delete_repo", "mcp__other__x"], ask: ["mcp__gh__search"] },
  };

  it("carries none of them, and says so with the names to write there", async () => {
    const { run, write, read, config } = newMachine();
    write(".claude.json", { mcpServers: { gh } });
    const before = write("work/.claude/settings.json", lists);
    const { code, out } = await run("connect", "claude-code", "--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).notes).toEqual([
      ".claude/settings.json of this folder asks about mcp__gh__search, and that is not carried over: what Onym carries " +
        "holds in every folder. To keep it here, write there: mcp__onym__gh_search.",
      ".claude/settings.json of this folder denies mcp__gh__delete_repo, and that is not carried over: what Onym carries " +
        "holds in every folder. To keep it here, write there: mcp__onym__gh_delete_repo.",
    ]);
    expect(config().policy).toBeUndefined();
    expect(read("work/.claude/settings.json")).toBe(before);
  });

  it("carries what they say of servers that stood there for this folder alone", async () => {
    const { run, write, config, project } = newMachine();
    write(".claude.json", { projects: { [project]: { mcpServers: { gh } } } });
    write("work/.claude/settings.local.json", lists);
    expect((await run("connect", "claude-code", "--yes")).code).toBe(0);
    expect(config().policy.rules).toMatchObject([{ effect: "deny", tool: ["gh@1/delete_repo@1"] }]);
  });

  it("names one that cannot be read", async () => {
    const { run, write } = newMachine();
    write(".claude.json", { mcpServers: { gh } });
    write("work/.claude/settings.json", "{ deny");
    const { code, out } = await run("connect", "claude-code", "--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).notes).toEqual([
      expect.stringMatching(
        /^\.claude\/settings\.json of this folder cannot be read \(.+\): what it denies is not known, and is not carried over\.$/,
      ),
    ]);
  });
});

describe("commands in a project that is connected", () => {
  it("are about the config that the client starts Onym with, and not about the client's file", async () => {
    const { run, read } = await withProject(".mcp.json", { mcpServers: { gh } });
    expect((await run("connect", "claude-code", "--file", ".mcp.json", "--yes")).code).toBe(0);
    expect(Object.keys(JSON.parse(read("work/.mcp.json")).mcpServers)).toEqual(["onym"]);

    const doctor = await run("doctor");
    expect(doctor.out).toContain(".config/onym/onym.json: 1 server");
    expect(doctor.out + doctor.err).not.toMatch(/trust|twice|\.mcp\.json of this folder/);
    expect((await run("names", "--profile", "claude-code")).out).toContain("gh_search");
    expect((await run("resolve", "gh_search")).out).toContain("gh@1/search@1");
    expect(await run("list")).toMatchObject({ code: 0, err: "" });
    // No gateway has run yet, so there is no store: that of the user's config.
    expect((await run("approvals")).err).toContain(".config/onym/onym.db");
  });

  it("say so where other servers stand there, too", async () => {
    const { run, write, read } = await withProject(".mcp.json", { mcpServers: { gh } });
    expect((await run("connect", "claude-code", "--file", ".mcp.json", "--yes")).code).toBe(0);
    const { mcpServers } = JSON.parse(read("work/.mcp.json"));
    write("work/.mcp.json", { mcpServers: { ...mcpServers, late: serverWith("get") } });
    const { out, err } = await run("names");
    expect(out).toContain("gh_search");
    expect(out).not.toContain("late");
    expect(err.replace(/\s+/g, " ")).toContain('Its "late" is not behind Onym: onym connect moves it.');
    expect((await run("doctor")).out.replace(/\s+/g, " ")).toContain(
      "onym connect claude-code --file .mcp.json moves",
    );
  });

  it("do not count Onym among the servers of a file that it is started beside", async () => {
    const { run } = await withProject(".mcp.json", {
      mcpServers: { gh, onym: { command: "npx", args: ["-y", "onym", "serve", "--stdio"] } },
    });
    const { out, err } = await run("doctor");
    expect(out).toContain(".mcp.json: 1 server");
    expect(out + err).not.toContain("onym trust");
  });
});

describe("servers of a project that are started by a relative path", () => {
  const script = SERVER.replace("[, ...names]", "[, , ...names]");

  it.each([
    [
      "claude-code",
      ".mcp.json",
      { mcpServers: { near: { command: "node", args: ["./tools/near.cjs", "get"] } } },
    ],
    [
      "opencode",
      "opencode.json",
      { mcp: { near: { type: "local", command: ["node", "tools/near.cjs", "get"] } } },
    ],
    [
      "vscode",
      ".vscode/mcp.json",
      { servers: { near: { command: "node", args: ["tools/near.cjs", "get"] } } },
    ],
  ])("move with the folder that %s starts them in", async (id, file, content) => {
    const { run, write, config, project } = await withProject(file, content);
    write("work/tools/near.cjs", script);
    const { out } = await run("connect", id, "--file", file, "--yes", "--json");
    expect(JSON.parse(out).servers).toEqual([{ id: "near", outcome: "moved", as: "near", tools: 1 }]);
    expect(config().mcpServers.near.cwd).toBe(project);
    expect((await run("names")).out).toContain("near_get");
  });

  it("have none where no word of theirs is a file there, or the entry names a folder", async () => {
    const { run, write, config } = await withProject(".mcp.json", {
      mcpServers: { far: gh, placed: { ...gh, args: [...gh.args, "./near.txt"], cwd: "/" } },
    });
    write("work/near.txt", "");
    expect((await run("connect", "claude-code", "--file", ".mcp.json", "--yes")).code).toBe(0);
    expect(config().mcpServers.far.cwd).toBeUndefined();
    expect(config().mcpServers.placed.cwd).toBe("/");
  });
});

it("warns that a project's file will hold paths of this machine", async () => {
  const { run } = await withProject(".mcp.json", { mcpServers: { gh } });
  const { out } = await run("connect", "claude-code", "--file", ".mcp.json", "--dry-run", "--json");
  expect(JSON.parse(out).notes).toContainEqual(
    ".mcp.json is of a project, and gets paths of this machine: do not commit it if others share it.",
  );
});

describe("onym connect alone", () => {
  it("names the files of this folder that have servers, once each, with the command for them", async () => {
    const { run, write } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { gh } });
    write("work/.mcp.json", { mcpServers: { gh, own: gh } });
    write("work/.vscode/mcp.json", { servers: {} });
    const { out } = await run("connect");
    expect(out).toMatch(
      /\nThis folder's \.mcp\.json has 2 servers: (?:npx )?onym connect claude-code --file \.mcp\.json\n/,
    );
    expect(out).not.toContain(".vscode");
    expect(out).toMatch(/Next: (?:npx )?onym connect cursor/);
    const report = JSON.parse((await run("connect", "--json")).out);
    expect(report.folder).toEqual([
      { client: "claude-code", file: expect.stringMatching(/work.\.mcp\.json$/), servers: ["gh", "own"] },
    ]);
  });

  it("does not say that no client is there, where only its config is missing", async () => {
    const { run, write, env, home } = newMachine();
    env.PATH = join(home, "bin");
    expect((await run("connect")).err).toBe(
      "No client config was found. Name a client: onym connect CLIENT; onym init --client lists those that Onym knows.\n",
    );
    for (const program of ["gemini", "opencode"]) {
      write(`bin/${program}`, "");
      chmodSync(join(home, "bin", program), 0o755);
    }
    expect((await run("connect")).err).toBe(
      "No client config was found. These are on PATH: gemini-cli, opencode. onym connect gemini-cli makes its config.\n",
    );
    write("work/.mcp.json", { mcpServers: { gh } });
    expect((await run("connect")).out).toContain("This folder's .mcp.json has 1 server");
  });
});

describe("trust in a project's file is for what was shown of it (CFG-6)", () => {
  const TRUST_FILE = ".local/state/onym/trust.json";
  const program = `require("fs").writeFileSync(process.argv[1], "ran")`;
  const web = { type: "http", url: "http://127.0.0.1:9/own" };

  it.each<[string, object, string, string]>([
    ["an isolation", { ...gh, isolation: ["sh", "-c", "evil"] }, `starts ${gh.command}`, "evil"],
    ["an address beside a command", { ...gh, ...web }, `starts ${gh.command}`, "127.0.0.1:9"],
    ["its headers", { ...gh, ...web, headers: { "X-A": "${HOME}" } }, `starts ${gh.command}`, "X-A"],
    ["a sign-in", { ...web, oauth: { clientId: "evil" } }, `connects to ${web.url}`, "evil"],
    ["a variable in a name", { ...gh, alias: "${HOME}" }, `starts ${gh.command}`, "alias"],
    ["a variable in tools", { ...gh, tools: ["${HOME}"] }, `starts ${gh.command}`, "tools"],
    ["another program", { cmd: process.execPath, args: ["-e", program], ...web }, "starts", "127.0.0.1:9"],
    ["another environment", { ...gh, env: { A: "1" }, environment: { B: "evil" } }, "with A=1", "nothing"],
  ])("%s", async (_, odd, shown, hidden) => {
    const { runWith, run, write, read } = newMachine();
    const text = write("work/.mcp.json", { mcpServers: { odd } });
    const { err } = await runWith("y", ["connect", "claude-code", "--file", ".mcp.json", "--yes"]);
    expect(err).toContain("Trust these launches?");
    const asked = err.slice(0, err.indexOf("Trust these launches?"));
    expect(asked).toContain(shown);
    const isShown = asked.includes(hidden);
    expect(JSON.parse(read(TRUST_FILE)).launches).toHaveLength(1);
    write("work/.mcp.json", text);
    // What was not shown is asked about where it would be used.
    const found = await run("names", "--live");
    const isTrusted = !found.err.includes("nobody has trusted");
    expect([isTrusted, isShown]).toEqual([isShown, isShown]);
    expect((await run("connect", "claude-code", "--file", ".mcp.json", "--dry-run")).err).not.toContain(
      "trusted",
    );
  });

  it("is one with that in the config where all of an entry is carried", async () => {
    const { runWith, run, write } = newMachine();
    const entry = { type: "stdio", ...gh, env: { N: 1 }, timeout: 5 };
    const text = write("work/.mcp.json", { mcpServers: { gh: entry } });
    await runWith("y", ["connect", "claude-code", "--file", ".mcp.json", "--yes"]);
    write("work/.mcp.json", text);
    const { out, err } = await run("names", "--live");
    expect(err).not.toContain("nobody has trusted");
    expect(out).toContain("gh_search");
  });

  it("in the config is not for another launch that is carried", async () => {
    const { run, write } = newMachine();
    write("work/.mcp.json", { mcpServers: { odd: { ...gh, ...web } } });
    expect((await run("trust", ".mcp.json", "--yes")).code).toBe(0);
    const { code, err } = await run("connect", "claude-code", "--file", ".mcp.json", "--yes");
    expect(code).toBe(2);
    expect(err).toContain('Nobody has trusted "odd" of .mcp.json yet');
  });
});
