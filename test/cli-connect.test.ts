// onym connect for every client of the table (LOCK-7): a home of its own, real servers, the command itself.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify as toYaml } from "yaml";
import type { ClientFile } from "../packages/onym/src/clients/client.js";
import { resolveFile } from "../packages/onym/src/clients/client-paths.js";
import { CLIENTS, clientOf } from "../packages/onym/src/clients/find-client.js";
import { editDocument, readDocument, valueAt } from "../packages/onym/src/documents/edit-document.js";
import { newMachine, SERVER, serverWith } from "./cli/connect-machine.js";

function toToml(value: object): string {
  const edits = Object.entries(value).map(([key, member]) => ({ path: [key], value: member }));
  const edited = editDocument("", "toml", edits);
  return edited.ok ? edited.text : "";
}

/** A file of a client with these servers, a comment at its top and something else at its end. */
function fileWith(file: ClientFile, entries: Readonly<Record<string, object>>): string {
  const inner =
    file.isList === true ? Object.entries(entries).map(([name, entry]) => ({ name, ...entry })) : entries;
  const value = file.servers.reduceRight<unknown>((rest, key) => ({ [key]: rest }), inner);
  const whole = { ...Object(value), zoom: { level: 2 } };
  if (file.format === "toml") return `# mine\n${toToml(whole)}`;
  return file.format === "yaml" ? `# mine\n${toYaml(whole)}` : `// mine\n${JSON.stringify(whole, null, 2)}\n`;
}

/** As the client itself would write a server. */
function entryOf(id: string, { command, args }: ReturnType<typeof serverWith>, alias: string): object {
  const address = { alias, command, args, url: "", publicUrl: "" };
  return clientOf(id).entry?.stdio?.(address) ?? {};
}

const CONNECTED = CLIENTS.filter(({ files, entry }) => files.length > 0 && entry?.stdio !== undefined);

describe("every client", () => {
  it.each(CONNECTED.map(({ id }) => id))(
    "%s: its servers move, the rest stays, and undo is byte for byte (LOCK-7)",
    async (id) => {
      const { home, project, env, run, config } = newMachine();
      const [file] = clientOf(id).files;
      if (file === undefined) throw new Error("no file");
      const path = resolveFile(file, { platform: process.platform, env, project });
      const entries = Object.fromEntries(
        [["one", serverWith("get", "put")] as const, ["two", serverWith("find")] as const].map(
          ([name, server]) => [name, entryOf(id, server, name)],
        ),
      );
      mkdirSync(dirname(path), { recursive: true });
      const before = fileWith(file, entries);
      writeFileSync(path, before);

      // Nobody else has put the user's own files there.
      if (file.place.startsWith("{project}")) expect((await run("trust", path, "--yes")).code).toBe(0);
      const connected = await run("connect", id, "--yes", "--json");
      expect(connected).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(connected.out)).toMatchObject({
        status: "connected",
        servers: [{ outcome: "moved" }, { outcome: "moved" }],
      });
      expect(config().mcpServers).toEqual({ one: serverWith("get", "put"), two: serverWith("find") });
      const after = readFileSync(path, "utf8");
      const read = readDocument(after, file.format);
      const servers = read.ok ? valueAt(read.value, file.servers) : undefined;
      const names = Array.isArray(servers)
        ? servers.map((one) => Reflect.get(one, "name"))
        : Object.keys(Object(servers));
      expect(names).toEqual(["onym"]);
      expect(after).toContain("mine");
      expect(JSON.parse((await run("connect", "--json")).out).clients).toContainEqual(
        expect.objectContaining({ client: id, state: "connected", servers: [] }),
      );
      expect(JSON.parse((await run("connect", id, "--yes", "--json")).out).status).toBe("unchanged");

      expect(await run("connect", id, "--undo")).toMatchObject({ code: 0 });
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(existsSync(join(home, ".config/onym/onym.json"))).toBe(false);
      expect(await run("connect", id, "--undo")).toMatchObject({ code: 2 });
    },
  );

  it("is told of the file that it will be given, where it has none yet", async () => {
    const { run, read } = newMachine();
    expect((await run("connect", "cursor", "--yes")).code).toBe(0);
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual(["onym"]);
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    expect(() => read(".cursor/mcp.json")).toThrow();
  });
});

describe("permission lists (LOCK-7)", () => {
  const gh = serverWith("search", "create_issue", "delete_repo", "delete_file");

  it.each([
    [
      "claude-code",
      ".claude.json",
      { mcpServers: { gh } },
      ".claude/settings.json",
      {
        permissions: {
          allow: ["Bash", "mcp__gh__search", "mcp__gh__create_*"],
          ask: ["mcp__gh__create_issue"],
          deny: ["mcp__gh__delete_*"],
        },
      },
      {
        permissions: {
          allow: ["Bash", "mcp__gh__create_*", "mcp__onym__gh_search"],
          ask: ["mcp__onym__gh_create_issue"],
          deny: ["mcp__gh__delete_*"],
        },
      },
    ],
    [
      "cursor",
      ".cursor/mcp.json",
      { mcpServers: { gh } },
      ".cursor/permissions.json",
      { mcpAllowlist: ["gh:search", "gh:*", "other:x"], terminalAllowlist: ["ls"] },
      { mcpAllowlist: ["gh:*", "other:x", "onym:gh_search"], terminalAllowlist: ["ls"] },
    ],
    [
      "cursor",
      ".cursor/mcp.json",
      { mcpServers: { gh } },
      ".cursor/cli-config.json",
      { permissions: { allow: ["Shell(ls)", "Mcp(gh:search)"], deny: ["Mcp(gh:delete_*)"] } },
      { permissions: { allow: ["Shell(ls)", "Mcp(onym:gh_search)"], deny: ["Mcp(gh:delete_*)"] } },
    ],
    [
      "copilot-cli",
      ".copilot/mcp-config.json",
      { mcpServers: { gh: { type: "local", tools: ["*"], ...gh } } },
      ".copilot/permissions-config.json",
      {
        locations: {
          "/a": {
            tool_approvals: [
              { kind: "write" },
              { kind: "mcp", serverName: "gh", toolName: "search" },
              { kind: "mcp", serverName: "gh", toolName: null },
            ],
          },
        },
      },
      {
        locations: {
          "/a": {
            tool_approvals: [
              { kind: "write" },
              { kind: "mcp", serverName: "onym", toolName: "gh_search" },
              { kind: "mcp", serverName: "gh", toolName: null },
            ],
          },
        },
      },
    ],
    [
      "vscode",
      ".config/Code/User/mcp.json",
      { servers: { gh: { type: "stdio", ...gh } } },
      ".config/Code/User/settings.json",
      { "chat.tools.eligibleForAutoApproval": { mcp_t_delete_repo: false, fetch: false } },
      undefined,
    ],
  ])("of %s: %s", async (id, file, servers, list, before, after) => {
    const { run, write, read } = newMachine();
    write(file, servers);
    const text = write(list, before);
    expect(await run("connect", id, "--yes")).toMatchObject({ code: 0 });
    expect(JSON.parse(read(list))).toEqual(after ?? before);
    expect(await run("connect", id, "--undo")).toMatchObject({ code: 0 });
    expect(read(list)).toBe(text);
  });

  it("carries deny and ask over always, and allow only where one identity is meant", async () => {
    const { run, write, config } = newMachine();
    write(".claude.json", { mcpServers: { gh } });
    write(".claude/settings.json", {
      permissions: {
        allow: ["mcp__gh", "mcp__gh__nothing", "mcp__gh__search"],
        ask: ["mcp__gh__create_*"],
        deny: ["mcp__gh__delete_repo", "mcp__gh__drop_table"],
      },
    });
    const shown = (await run("connect", "claude-code", "--dry-run")).out.replace(/\s+/g, " ");
    expect(shown).toContain(
      "Claude Code asks before what was not carried over. To allow it there, add what you want: " +
        "mcp__onym__gh_create_issue, mcp__onym__gh_delete_file.",
    );
    const { out } = await run("connect", "claude-code", "--yes", "--json");
    expect(JSON.parse(out).permissions).toEqual({
      carried: [
        { effect: "allow", entry: "mcp__gh__search", to: "client" },
        { effect: "ask", entry: "mcp__gh__create_*", to: "policy" },
        { effect: "deny", entry: "mcp__gh__delete_repo", to: "policy" },
        { effect: "deny", entry: "mcp__gh__drop_table", to: "policy" },
      ],
      left: [
        {
          effect: "allow",
          entry: "mcp__gh",
          reason: "it means every tool that matches, now and later",
          instead: ["mcp__onym__gh_create_issue", "mcp__onym__gh_delete_file"],
        },
        { effect: "allow", entry: "mcp__gh__nothing", reason: "there is no such tool", instead: [] },
      ],
    });
    expect(config().policy.rules).toEqual([
      { effect: "ask", server: "gh", tool: ["*@*/create?*@*"], note: "from Claude Code: mcp__gh__create_*" },
      { effect: "deny", tool: ["gh@1/delete_repo@1"], note: "from Claude Code: mcp__gh__delete_repo" },
      {
        effect: "deny",
        server: "gh",
        tool: ["*@*/drop?table@*"],
        note: "from Claude Code: mcp__gh__drop_table",
      },
    ]);
    const tested = await run("policy", "test", "gh@1/create_issue@1", "--json");
    expect(JSON.parse(tested.out)).toMatchObject({ effect: "ask" });
  });

  it("of Codex and OpenCode go on beside the server and in the same file", async () => {
    const { run, write, read } = newMachine();
    const codex = {
      gh: { ...gh, default_tools_approval_mode: "prompt", tools: { search: { approval_mode: "approve" } } },
    };
    write(".codex/config.toml", toToml({ mcp_servers: codex }));
    await run("connect", "codex", "--yes");
    expect(readDocument(read(".codex/config.toml"), "toml")).toMatchObject({
      value: { mcp_servers: { onym: { tools: { gh_search: { approval_mode: "approve" } } } } },
    });
    write(".config/opencode/opencode.json", {
      permission: { "*": "ask", gh_search: "allow", gh_create_issue: "ask", "gh_delete_*": "deny" },
      mcp: { gh: { type: "local", command: [gh.command, ...gh.args] } },
    });
    await run("connect", "opencode", "--yes");
    expect(JSON.parse(read(".config/opencode/opencode.json")).permission).toEqual({
      "*": "ask",
      "gh_delete_*": "deny",
      onym_gh_search: "allow",
      onym_gh_create_issue: "ask",
    });
  });

  it("of Gemini CLI go on in a policy file of Onym's own", async () => {
    const { run, write, read, home, config } = newMachine();
    write(".gemini/settings.json", { mcpServers: { gh: { ...gh, trust: true } } });
    write(
      ".gemini/policies/mine.toml",
      '[[rule]]\nmcpName = "gh"\ntoolName = "search"\ndecision = "allow"\npriority = 100\n\n[[rule]]\nmcpName = "gh"\ntoolName = "delete_repo"\ndecision = "deny"\npriority = 200\n',
    );
    await run("connect", "gemini-cli", "--yes");
    expect(readDocument(read(".gemini/policies/onym.toml"), "toml")).toMatchObject({
      value: { rule: [{ mcpName: "onym", toolName: "gh_search", decision: "allow" }] },
    });
    expect(config().policy.rules).toMatchObject([{ effect: "deny", tool: ["gh@1/delete_repo@1"] }]);
    await run("connect", "gemini-cli", "--undo");
    expect(existsSync(join(home, ".gemini/policies/onym.toml"))).toBe(false);
  });
});

describe("files that are not as they should be", () => {
  it.each([
    ["{ oops", "line 1"],
    ['{ "mcpServers": { "a": {} }, "mcpServers": {} }', "cannot be changed in place"],
    ['{ "mcpServers": [1] }', "cannot be changed in place"],
  ])("%s is never written", async (text, reason) => {
    const { run, write, read } = newMachine();
    write(".cursor/mcp.json", text);
    const { code, err } = await run("connect", "cursor", "--yes");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(reason) });
    expect(read(".cursor/mcp.json")).toBe(text);
  });

  it("nor is anything where a permission list cannot be read", async () => {
    const { run, write, read, home } = newMachine();
    const text = write(".claude.json", { mcpServers: { one: serverWith("get") } });
    write(".claude/settings.json", '{ "permissions": ');
    expect(await run("connect", "claude-code", "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("settings.json"),
    });
    expect(read(".claude.json")).toBe(text);
    expect(existsSync(join(home, ".config/onym/onym.json"))).toBe(false);
  });

  it("shows no secret, in whichever file it stands", async () => {
    const { run, write } = newMachine();
    const secrets = ["sk-aaaaaaaaaaaa", "hunter2hunter2", "oauth-bbbbbbbb", "tok-cccccccc"];
    write(".claude.json", {
      mcpServers: {
        one: { ...serverWith("get"), env: { A: secrets[1] } },
        two: { url: "http://127.0.0.1:1/mcp", headers: { "X-Key": secrets[3] } },
      },
      oauthAccount: { accessToken: secrets[2] },
      primaryApiKey: secrets[0],
    });
    const shown = [
      await run("connect", "claude-code", "--dry-run"),
      await run("connect", "claude-code", "--yes", "--force"),
      await run("list"),
    ];
    shown.push(await run("connect", "claude-code", "--json", "--yes"));
    write(".claude.json", "{}");
    shown.push(await run("connect", "claude-code", "--undo"));
    for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret);
  });

  it("shows a tab of the file as a tab, and escapes other control characters (SAFE-1)", async () => {
    const { run, write } = newMachine();
    const servers = { one: { ...serverWith("get"), note: "a\u0085b" } };
    write(".claude.json", JSON.stringify({ mcpServers: servers }, null, "\t"));
    const { out } = await run("connect", "claude-code", "--dry-run");
    expect(out).toContain('\n  - \t\t"one": {');
    expect(out).toContain("a\\u{0085}b");
    expect(out).not.toContain("\\u{0009}");
  });

  it("shows settings that are no secrets: switches, levels, and paths under the name of one", async () => {
    const { run, write } = newMachine();
    const shown = { LOG_LEVEL: "debug", VERBOSE: "true", PORT: "8080", MEMORY_FILE_PATH: "/srv/memory.json" };
    const hidden = { PASS: "development", PIN: "1234", NAME: "correct-horse", KEY_FILE: "/run/keys/one" };
    write(".claude.json", { mcpServers: { one: { ...serverWith("get"), env: { ...shown, ...hidden } } } });
    const { out } = await run("connect", "claude-code", "--dry-run");
    for (const [name, value] of Object.entries(shown)) expect(out).toContain(`"${name}": "${value}"`);
    for (const value of Object.values(hidden)) expect(out).not.toContain(value);
  });

  it("leaves a server that Onym cannot start in the client, and never writes over another of the same id", async () => {
    const { run, write, read, config } = newMachine();
    write(".config/onym/onym.json", { mcpServers: { one: { tools: ["mine"] } } });
    write(".cursor/mcp.json", {
      mcpServers: {
        one: serverWith("get"),
        bad: { command: "/nowhere/at-all" },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as VS Code writes it.
        asked: { command: "x", env: { A: "${input:key}" } },
      },
    });
    const { out } = await run("connect", "cursor", "--yes", "--json");
    expect(JSON.parse(out).servers).toEqual([
      { id: "one", outcome: "moved", as: "one-2", tools: 1 },
      { id: "bad", outcome: "stays", reason: expect.stringContaining("Onym cannot start it") },
      { id: "asked", outcome: "stays", reason: expect.stringContaining("Onym cannot start it") },
    ]);
    expect(Object.keys(config().mcpServers)).toEqual(["one", "one-2"]);
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual(["bad", "asked", "onym"]);
  });
});

describe("how the client reaches Onym", () => {
  it("over HTTP, with a token of its own where the config asks for one, and once only", async () => {
    const { run, write, read, config } = newMachine();
    const ci = { name: "ci", hash: `sha256:${"a".repeat(64)}` };
    write(".config/onym/onym.json", { mcpServers: { one: { tools: ["get"] } }, auth: { tokens: [ci] } });
    const { out } = await run("connect", "cursor", "--http", "--yes");
    const { url, headers } = JSON.parse(read(".cursor/mcp.json")).mcpServers.onym;
    expect({ url, headers }).toEqual({
      url: "http://127.0.0.1:6696/mcp/cursor",
      headers: { Authorization: expect.stringMatching(/^Bearer onym_[\w-]{43}$/) },
    });
    expect(out).not.toContain("Bearer onym_");
    const hash = createHash("sha256").update(headers.Authorization.slice("Bearer ".length)).digest("hex");
    expect(config().auth.tokens).toEqual([ci, { name: "cursor", hash: `sha256:${hash}` }]);
    expect(JSON.parse((await run("connect", "cursor", "--http", "--yes", "--json")).out).status).toBe(
      "unchanged",
    );
  });

  it("elsewhere, with the token of the environment; servers stay then", async () => {
    const { run, write, read, env } = newMachine();
    write(".codex/config.toml", '[mcp_servers.one]\ncommand = "x"\n');
    Object.assign(env, { ONYM_TOKEN: "onym_elsewhere" });
    const { out } = await run("connect", "codex", "--url", "https://gateway.example", "--yes", "--json");
    expect(JSON.parse(out).servers).toMatchObject([{ id: "one", outcome: "stays" }]);
    expect(readDocument(read(".codex/config.toml"), "toml")).toMatchObject({
      value: {
        mcp_servers: {
          one: { command: "x" },
          onym: {
            url: "https://gateway.example/mcp/codex",
            http_headers: { Authorization: "Bearer onym_elsewhere" },
          },
        },
      },
    });
  });
});

it("shows what a client's users should know only where it applies", async () => {
  const { run, write } = newMachine();
  write("work/.mcp.json", "{}");
  write("work/onym.json", { mcpServers: { one: serverWith("get") } });
  const connect = (...args: readonly string[]) => run("connect", ...args, "--config", "onym.json", "--yes");
  expect((await connect("claude-code", "--file", ".mcp.json")).out).not.toContain("For one project alone");
  expect((await connect("claude-code")).out).toContain("For one project alone");
  expect((await connect("gemini-cli")).out).not.toContain("use an alias without one");
  expect((await run("init", "--client", "gemini-cli")).out).not.toContain("use an alias without one");
  const named = await run("init", "--client", "gemini-cli", "--as", "my_tools");
  expect(named.out).toContain("use an alias without one");
});

it("says so where the client, or the file that was named, is not there", async () => {
  const { run, home, write } = newMachine();
  const windsurf = await run("connect", "windsurf", "--dry-run");
  expect(windsurf.err.replace(/\s+/g, " ")).toContain("Windsurf was not found here; this creates ~");
  const file = join(home, "nope", "mcp.json");
  const named = await run("connect", "cursor", "--file", file, "--dry-run");
  expect(named.err.replace(/\s+/g, " ")).toContain("mcp.json was not found; this creates it.");
  write(".cursor/other.json", {});
  expect((await run("connect", "cursor", "--dry-run")).err).not.toContain("not found");
});

it("lists a file that cannot be read with its path and the reason, and suggests no retired client", async () => {
  const { run, write, home } = newMachine();
  write(".cursor/mcp.json", "{ nonsense");
  expect((await run("connect")).out).toMatch(/cursor +~\/\.cursor\/mcp\.json +cannot be read: \S/);
  expect(JSON.parse((await run("connect", "--json")).out).clients).toEqual([
    { client: "cursor", state: "unreadable", file: join(home, ".cursor/mcp.json"), servers: [] },
  ]);
  expect((await run("connect", "foo")).err).not.toMatch(/\broo\b/);
});

it("says what remains after the last undo", async () => {
  const { run, write } = newMachine();
  write(".cursor/mcp.json", { mcpServers: { gh: serverWith("search") } });
  await run("connect", "cursor", "--yes");
  write(".config/onym/onym.lock", "");
  const undone = await run("connect", "cursor", "--undo");
  expect(undone.err.replace(/\s+/g, " ")).toContain("what Onym kept remains: ~/.config/onym/onym.lock, ~");
});

it("says so where there is no server in client and config", async () => {
  const { run } = newMachine();
  expect(await run("connect", "cursor", "--yes")).toMatchObject({
    code: 0,
    err: expect.stringContaining("Onym has no servers yet"),
  });
});

it("doctor says whose config it is about, where a folder has one beside the user's own", async () => {
  const { run, write } = newMachine();
  write(".config/onym/onym.json", { mcpServers: {} });
  write("work/.mcp.json", { mcpServers: {} });
  expect((await run("doctor")).err.replace(/\s+/g, " ")).toContain(
    "note: this is about .mcp.json of this folder. Your own config is ",
  );
});

it("does not make an empty config where the one that servers moved to is gone", async () => {
  const { run, write, home } = newMachine();
  write(".cursor/mcp.json", { mcpServers: { gh: serverWith("search") } });
  const before = readFileSync(join(home, ".cursor/mcp.json"));
  await run("connect", "cursor", "--yes");
  rmSync(join(home, ".config/onym"), { recursive: true });
  expect((await run("doctor")).out.replace(/\s+/g, " ")).toContain(
    "connect cursor --undo puts the servers back",
  );
  expect(await run("connect", "cursor", "--yes")).toMatchObject({
    code: 2,
    err: expect.stringMatching(/onym\.json is gone.*\s.*connect cursor --undo puts them back/),
  });
  expect((await run("connect", "cursor", "--undo")).code).toBe(0);
  expect(readFileSync(join(home, ".cursor/mcp.json"))).toEqual(before);
});

it("names the clients that can be undone, where --undo names none", async () => {
  const { run, write } = newMachine();
  write(".cursor/mcp.json", { mcpServers: { gh: serverWith("search") } });
  await run("connect", "cursor", "--yes");
  expect(await run("connect", "--undo")).toMatchObject({
    code: 2,
    err: expect.stringContaining("connect cursor --undo"),
  });
});

it("doctor checks the names of the clients that are connected first", async () => {
  const { run, write } = newMachine();
  write(".gemini/settings.json", { mcpServers: { gh: serverWith("search") } });
  await run("connect", "gemini-cli", "--yes");
  const { out } = await run("doctor");
  expect(out.slice(out.indexOf("\nNames"), out.indexOf("\nLock"))).toMatch(/alias[^\n]*\n\W*gemini-cli /);
});

describe("undo of the last client", () => {
  const CURSOR = { mcpServers: { gh: serverWith("search"), wiki: serverWith("find") } };
  const GEMINI = {
    mcpServers: { gh: serverWith("search"), notes: { ...serverWith("add"), env: { TOKEN: "s3cret" } } },
  };
  const CONFIG = ".config/onym/onym.json";

  it.each([
    ["the one before it, too", ["cursor", "gemini-cli"], ["gemini-cli", "cursor"]],
    ["what came first", ["cursor", "gemini-cli"], ["cursor", "gemini-cli"]],
    ["of three", ["cursor", "gemini-cli", "claude-code"], ["gemini-cli", "claude-code", "cursor"]],
  ])("takes back all that Onym wrote to its config: %s (LOCK-7)", async (_, connected, undone) => {
    for (const own of [undefined, '// mine\n{ "mcpServers": { "own": { "tools": ["x"] } } }\n']) {
      const { run, write, read, home } = newMachine();
      if (own !== undefined) write(CONFIG, own);
      const before = {
        ".cursor/mcp.json": write(".cursor/mcp.json", CURSOR),
        ".gemini/settings.json": write(".gemini/settings.json", GEMINI),
        ".claude.json": write(".claude.json", { mcpServers: { mail: serverWith("send") } }),
      };
      for (const client of connected) expect((await run("connect", client, "--yes")).code).toBe(0);
      for (const [at, client] of undone.entries()) {
        const { code, err } = await run("connect", client, "--undo");
        expect([code, err.includes("too. The last --undo takes back")]).toEqual([0, at < undone.length - 1]);
      }
      for (const [file, text] of Object.entries(before)) expect(read(file)).toBe(text);
      expect(existsSync(join(home, CONFIG)) ? read(CONFIG) : undefined).toBe(own);
    }
  });

  it("takes back only that where the user has added a server since", async () => {
    const { run, write, config } = newMachine();
    write(".cursor/mcp.json", CURSOR);
    write(".gemini/settings.json", GEMINI);
    await run("connect", "cursor", "--yes");
    const added = await run("add", "mine", "--", process.execPath, "-e", SERVER, "x");
    expect(added.code).toBe(0);
    await run("connect", "gemini-cli", "--yes");
    await run("connect", "cursor", "--undo");
    expect(Object.keys(config().mcpServers).sort()).toEqual(["gh", "mine", "notes", "wiki"]);
    expect((await run("connect", "gemini-cli", "--undo")).code).toBe(0);
    expect(Object.keys(config().mcpServers)).toEqual(["mine"]);
  });

  it("leaves a server there that the user has changed since, and says so", async () => {
    const { run, write, read, config } = newMachine();
    write(".cursor/mcp.json", CURSOR);
    await run("connect", "cursor", "--yes");
    const mine = config();
    mine.mcpServers.wiki.env = { LANG: "C" };
    const changed = write(CONFIG, mine);
    expect((await run("connect", "cursor", "--undo")).err).toContain("was changed since, and stays");
    expect(read(CONFIG)).toBe(changed);
  });

  it("removes what was not there before, and says so", async () => {
    const { run, write, home } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { gh: serverWith("search") } });
    await run("connect", "cursor", "--yes");
    const { out } = await run("connect", "cursor", "--undo");
    expect(out).toContain("onym.json is removed: it was not there before.");
    expect(existsSync(join(home, ".config/onym/onym.json"))).toBe(false);
  });
});

describe("undo after somebody else's change", () => {
  it("refuses, shows both versions, and takes back only its own with --keep-changes", async () => {
    const { run, write, read, home } = newMachine();
    const before = write(".cursor/mcp.json", { mcpServers: { one: serverWith("get") }, theme: "dark" });
    await run("connect", "cursor", "--yes");
    const changed = read(".cursor/mcp.json").replace('"dark"', '"light"');
    writeFileSync(join(home, ".cursor/mcp.json"), changed);
    const refused = await run("connect", "cursor", "--undo");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/- +"theme": "dark"\n +\+ +"theme": "light"/);
    expect(read(".cursor/mcp.json")).toBe(changed);
    expect(refused.err).toContain("onym connect cursor --undo --keep-changes keeps them");
    const kept = await run("connect", "cursor", "--undo", "--keep-changes");
    expect(kept.code).toBe(0);
    expect(kept.out).toMatch(/- +"onym": .*is without what Onym wrote; the other changes stay/s);
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ ...JSON.parse(before), theme: "light" });
  });

  it.each([
    ["y", 0, ["one"]],
    ["n", 1, ["onym"]],
  ] as const)("at a terminal asks whether to keep it: %s", async (answer, code, servers) => {
    const { run, runWith, write, read } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { one: serverWith("get") }, count: 1 });
    await run("connect", "cursor", "--yes");
    write(".cursor/mcp.json", read(".cursor/mcp.json").replace('"count": 1', '"count": 2'));
    const asked = await runWith(answer, ["connect", "cursor", "--undo"]);
    expect(asked).toMatchObject({ code, err: expect.stringContaining("keep these changes? [y/N]") });
    const { mcpServers, count } = JSON.parse(read(".cursor/mcp.json"));
    expect([Object.keys(mcpServers), count]).toEqual([servers, 2]);
  });

  it("says so where what Onym wrote was changed, whatever it is asked to keep", async () => {
    const { run, runWith, write, read } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { one: serverWith("get") } });
    await run("connect", "cursor", "--yes");
    const changed = write(".cursor/mcp.json", read(".cursor/mcp.json").replace('"serve"', '"status"'));
    for (const more of [[], ["--keep-changes"]])
      expect(await runWith("y", ["connect", "cursor", "--undo", ...more])).toMatchObject({
        code: 1,
        err: expect.stringContaining("what Onym wrote was changed itself"),
      });
    expect(read(".cursor/mcp.json")).toBe(changed);
  });

  it("leaves the config alone while another client uses it", async () => {
    const { run, write, read, config } = newMachine();
    const before = write(".cursor/mcp.json", { mcpServers: { one: serverWith("get") } });
    write(".claude.json", { mcpServers: { one: serverWith("get") } });
    await run("connect", "cursor", "--yes");
    await run("connect", "claude-code", "--yes");
    expect(await run("connect", "cursor", "--undo")).toMatchObject({
      code: 0,
      err: expect.stringContaining("claude-code uses it, too"),
    });
    expect(read(".cursor/mcp.json")).toBe(before);
    expect(Object.keys(config().mcpServers)).toEqual(["one"]);
  });
});

describe("a property", () => {
  it("whatever the file looks like, undo gives the same bytes (LOCK-7)", async () => {
    const blank = fc.constantFrom(" ", "\n", "\r\n", "\t", "", " // c\n", "/* c */");
    const key = fc.constantFrom("a", "b", "__proto__", "é", "x y");
    const text = fc.array(fc.tuple(key, blank, blank, fc.boolean()), { maxLength: 4 }).map((entries) => {
      const members = entries.map(
        ([name, one, two, off], index) =>
          `${one}"${name}${index}":${two}{"url":"http://127.0.0.1:1/mcp","disabled":${off}}`,
      );
      return `\uFEFF{ "mcpServers": {${members.join(",")}\n}, "rest": [1, 2] // end\n}`;
    });
    const machine = newMachine();
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (content, force) => {
        const file = join(machine.home, ".cursor/mcp.json");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
        const bytes = readFileSync(file);
        const { code } = await machine.run("connect", "cursor", "--yes", ...(force ? ["--force"] : []));
        expect(code).toBe(0);
        expect(readFileSync(file).equals(bytes)).toBe(false);
        expect((await machine.run("connect", "cursor", "--undo")).code).toBe(0);
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});

describe("a file of a project (CFG-6)", () => {
  const text = JSON.stringify({ servers: { odd: serverWith("get") } });

  it.each([
    ["y", "moves to Onym's config, 1 tool", ["onym"]],
    ["n", "stays in the client: nobody has trusted its launch yet", ["odd", "onym"]],
  ])("is asked about at a terminal, and the answer is %s", async (answer, outcome, left) => {
    const { runWith, write, read } = newMachine();
    write("work/.vscode/mcp.json", text);
    const connect = ["connect", "vscode", "--file", ".vscode/mcp.json", "--yes", "--force"];
    const { code, out, err } = await runWith(answer, connect);
    expect(code).toBe(0);
    expect(err).toContain(
      ".vscode/mcp.json is not your own file of VS Code, and has 1 server that nobody trusted yet:",
    );
    expect(err).toContain(`starts ${process.execPath}`);
    expect(err).toContain("Trust these launches? [y/N]");
    expect(out).toContain(outcome);
    expect(Object.keys(JSON.parse(read("work/.vscode/mcp.json")).servers)).toEqual(left);
  });
});
