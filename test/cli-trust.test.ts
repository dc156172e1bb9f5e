// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.
// A config found in a folder runs nothing before the user trusted it (CFG-6): the built program, a home of its own.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, runOnym } from "./cli/run-onym.js";
import { ONYM_BIN, onymEnvironment, startOnym } from "./gateway/harness.js";

/** A server that leaves a mark where it is started, and never answers. */
function marking(mark: string, ...more: readonly string[]) {
  const program = `require("fs").writeFileSync(${JSON.stringify(mark)}, "ran")`;
  return { command: process.execPath, args: ["-e", program, ...more] };
}

function machineWith(config: (mark: string) => unknown, file = "onym.json", variables = {}) {
  const folder = newFolder();
  const [home, project, mark] = [join(folder, "home"), join(folder, "project"), join(folder, "mark")];
  for (const each of [home, project]) mkdirSync(each);
  const write = (value: unknown) => writeFileSync(join(project, file), JSON.stringify(value));
  write(config(mark));
  const run = (...args: readonly string[]) => runOnym(project, args, { env: { HOME: home, ...variables } });
  /** Without holding up what else this process serves. */
  const runAside = async (...args: readonly string[]) => {
    const env = onymEnvironment(home, {});
    const child = spawn(process.execPath, [ONYM_BIN, ...args], { cwd: project, env });
    child.stdin.end();
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      err += piece;
    });
    child.stdout.resume();
    const [code] = (await once(child, "close")) as [number | null];
    return { code, err };
  };
  return { home, project, mark, write, run, runAside, hasRun: () => existsSync(mark) };
}

const withServer = (mark: string) => ({
  store: "none",
  limits: { startMs: 2000 },
  mcpServers: { odd: marking(mark), fine: { tools: ["get"] } },
});

describe("a config found in a folder (CFG-6)", () => {
  it.each([["onym.json"], [".mcp.json"]])("%s: no command starts what nobody trusted", (file) => {
    const machine = machineWith(
      (mark) => ({ mcpServers: { odd: marking(mark), fine: { tools: ["get"] } } }),
      file,
    );
    for (const args of [["doctor"], ["names", "--live"], ["lint", "--live"], ["lock", "--live"]]) {
      const { code, out, err } = machine.run(...args);
      expect(code).toBe(1);
      expect(out + err).toContain("nobody has trusted this launch yet");
      expect(out + err).toContain("onym trust");
    }
    expect(machine.hasRun()).toBe(false);
  });

  it.each([
    ["tools of another folder", { mcpServers: { odd: { tools: "../secret.json" } } }],
    ["tools that a link leads to", { mcpServers: { odd: { tools: "link.json" } } }],
    ["tools below a folder that is a link", { mcpServers: { odd: { tools: "up/secret.json" } } }],
    ["tools that a variable leads to", { mcpServers: { odd: { tools: "${HOME}/../secret.json" } } }],
    ["profiles of another folder", { profiles: "../secret.json", mcpServers: {} }],
    ["profiles that a link leads to", { profiles: "link.json", mcpServers: {} }],
  ])("reads no %s, unless it is named", (_, config) => {
    const machine = machineWith(() => ({ store: "none", ...config }));
    const secret = join(machine.project, "..", "secret.json");
    const isProfiles = "profiles" in config;
    writeFileSync(secret, isProfiles ? '{"s3cret": {"pattern": "^[a-z_]{1,40}$"}}' : '["s3cret"]');
    symlinkSync(secret, join(machine.project, "link.json"));
    symlinkSync(dirname(secret), join(machine.project, "up"));
    for (const args of [["names"], ["doctor"], ["trust", "--yes"], ["lint"]]) {
      const { code, out, err } = machine.run(...args);
      expect(code, args.join(" ")).not.toBe(0);
      expect(out + err).toContain("was only found in this folder");
      expect(out + err).not.toContain("s3cret");
    }
    const { out } = machine.run(isProfiles ? "profiles" : "names", "--config", "onym.json");
    expect(out).toContain("s3cret");
  });

  it("no command at all starts what nobody trusted, whatever it is asked", () => {
    const machine = machineWith((mark) => ({ mcpServers: { odd: marking(mark), fine: { tools: ["get"] } } }));
    const lines = [
      "status; doctor; trust; list; approvals; audit; audit verify; audit export; token ci; profiles",
      "names; names --live; matrix; matrix --live; lint; lint --live; resolve x; resolve x --live",
      "explain x; explain x --live; lock; lock --live; lock --check; diff onym.json onym.lock; renames",
      "migrate --to dotted; policy test x; policy admit x; approve x --yes; deny x; revoke x",
      "store backup copy.db; login odd; logout odd; disable odd; enable odd; remove odd --dry-run",
      "init --client cursor; connect; connect cursor --dry-run; connect cursor --yes; import .mcp.json",
      "service; completion bash; completion words -- onym resolve x; add other -- odd",
    ].join("; ");
    const commands = lines.split("; ").map((line) => line.split(" "));
    const { out } = machine.run("--help");
    const all = [...out.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
    // Serving has tests of its own.
    const missing = all.filter((name) => name !== "serve" && !commands.some(([first]) => first === name));
    expect(missing).toEqual([]);
    expect(all.length).toBeGreaterThan(20);
    for (const args of commands) {
      machine.run(...args);
      expect({ args, hasRun: machine.hasRun() }).toEqual({ args, hasRun: false });
    }
  });

  it("runs once it is trusted, and a launch that changes asks again", () => {
    const machine = machineWith(withServer);
    expect(machine.run("trust")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(machine.hasRun()).toBe(false);
    const { code, out } = machine.run("trust", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: '✓ 1 server of onym.json trusted: "odd".\n' });
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);

    rmSync(machine.mark);
    const config = withServer(machine.mark);
    // What is no launch may change.
    machine.write({ ...config, mcpServers: { other: { ...config.mcpServers.odd, alias: "o" } } });
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);

    rmSync(machine.mark);
    machine.write({ ...config, mcpServers: { odd: marking(machine.mark, "changed") } });
    expect(machine.run("names", "--live").err).toContain("nobody has trusted this launch yet");
    expect(machine.hasRun()).toBe(false);

    machine.write(config);
    expect(machine.run("trust", "--undo").code).toBe(0);
    expect(machine.run("names", "--live").err).toContain("nobody has trusted this launch yet");
    expect(machine.hasRun()).toBe(false);
  });

  it("shows nothing of an envFile outside of the folder, by its path or a link, before it is trusted", () => {
    const machine = machineWith(
      (mark) => ({
        mcpServers: {
          far: { ...marking(mark), envFile: "../home/own.env" },
          linked: { ...marking(mark), envFile: "link.env" },
        },
      }),
      ".mcp.json",
    );
    writeFileSync(join(machine.home, "own.env"), "PLAIN=not-for-others\nPATH=/not-for-others\nFINE=x\n");
    symlinkSync(join(machine.home, "own.env"), join(machine.project, "link.env"));
    for (const args of [["trust"], ["connect", "claude-code", "--file", ".mcp.json"]]) {
      const { out, err } = machine.run(...args);
      expect(err).toContain("with 3 variables of ../home/own.env, not shown because");
      expect(err).toContain("with 3 variables of link.env, not shown because");
      expect(out + err).not.toMatch(/not-for-others|PLAIN/);
    }
    expect(machine.hasRun()).toBe(false);
  });

  describe("fills in no variables before it is trusted", () => {
    const variables = { PICKED_TOKEN: "ghp_AbCdEf0123456789AbCdEf01", NICK: "crm2" };
    const SHOWING = [
      ...[["names"], ["names", "--json"], ["matrix", "--json"], ["lint", "--format", "sarif"], ["doctor"]],
      ...[["explain", "n"], ["resolve", "n"], ["lock"], ["migrate", "--to", "dotted", "--guide", "g.md"]],
      ...[
        ["profiles", "--json"],
        ["policy", "test", "n"],
        ["status"],
        ["approvals"],
        ["trust"],
        ["names", "--live"],
      ],
    ];
    const texts: readonly (readonly [string, object])[] = [
      ["names of tools", { mcpServers: { st: { tools: ["${PICKED_TOKEN}"] } } }],
      ["definitions", { mcpServers: { st: { tools: [{ name: "n", description: "${env:PICKED_TOKEN}" }] } } }],
      ["integrations", { mcpServers: { st: { integration: "${NICK}", tools: ["n"] } } }],
      ["servers that run", { mcpServers: { run: { ...marking("x", "${PICKED_TOKEN}"), alias: "${NICK}" } } }],
      ["addresses", { mcpServers: { web: { url: "http://127.0.0.1:9/${PICKED_TOKEN}", tools: ["n"] } } }],
      ["toolboxes", { toolboxes: { a: { description: "${PICKED_TOKEN}", mcpServers: {} } } }],
      ["pins", { mcpServers: { st: { tools: ["n"] } }, naming: { pins: { "st@1/n@1": "${NICK}" } } }],
      [
        "notes",
        { mcpServers: {}, policy: { rules: [{ effect: "ask", server: "*", note: "${PICKED_TOKEN}" }] } },
      ],
      ["profiles", { mcpServers: {}, profiles: { mine: { title: "${PICKED_TOKEN}" } } }],
    ];
    it.each(texts)("%s", (_, config) => {
      const machine = machineWith(() => config, "onym.json", variables);
      for (const args of SHOWING) {
        const { out, err } = machine.run(...args);
        expect([args.join(" "), out + err]).not.toEqual([
          args.join(" "),
          expect.stringMatching(/ghp_AbCdEf0123456789|crm2/i),
        ]);
      }
      const written = readdirSync(machine.project).filter((name) => name !== "onym.json");
      for (const name of written)
        expect(readFileSync(join(machine.project, name), "latin1")).not.toMatch(/ghp_AbCdEf|crm2/i);
    });

    it("and all of them afterwards", () => {
      const machine = machineWith(
        (mark) => ({
          mcpServers: { run: { ...marking(mark), alias: "${NICK}", tools: ["n"], envFile: "${NICK}.env" } },
          naming: { pins: { "run@1/n@1": "${NICK}_pinned" } },
        }),
        "onym.json",
        variables,
      );
      writeFileSync(join(machine.project, "crm2.env"), "A=1\n");
      expect(machine.run("names").err).toContain('nobody has trusted its "variables" yet');
      const { err } = machine.run("trust", "--yes");
      expect(err).toBe("");
      expect(machine.run("names").out).toContain("crm2_n");
      expect(machine.run("trust").out).toMatch(/trusted/);
      machine.write({ mcpServers: { run: { ...marking("x"), alias: "${NICK}", tools: ["${NICK}"] } } });
      const changed = machine.run("names");
      expect(changed.out + changed.err).not.toContain("crm2");
    });

    it("nor where it is named: that is trust", () => {
      const machine = machineWith(
        () => ({ mcpServers: { st: { tools: ["${NICK}"] } } }),
        "onym.json",
        variables,
      );
      expect(machine.run("names", "--config", "onym.json").out).toContain("crm2");
    });
  });

  it("is trusted with the variables in its envFile: one that changes asks again, and says which file", () => {
    const machine = machineWith((mark) => ({ mcpServers: { odd: { ...marking(mark), envFile: ".env" } } }));
    const writeEnv = (text: string) => writeFileSync(join(machine.project, ".env"), text);
    writeEnv("A=1\nAPI_KEY=sk-secret\nNODE_OPTIONS=--no-warnings\n");
    const { err } = machine.run("trust");
    expect(err).toContain("with the variables of .env\n      A=1\n");
    expect(err).toContain("NODE_OPTIONS=--no-warnings");
    expect(err).not.toContain("sk-secret");
    expect(machine.run("trust", "--yes").code).toBe(0);
    // Neither a comment nor the way of writing is a value.
    writeEnv('# Mine\nA="1"\nAPI_KEY=sk-secret\nNODE_OPTIONS=--no-warnings\n');
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);

    rmSync(machine.mark);
    writeEnv("NODE_OPTIONS=--require ./evil.cjs\n");
    const refused = machine.run("names", "--live");
    expect(refused.err).toContain('nobody has trusted the variables in its envFile ".env" as they are now');
    expect(refused.err).toContain("onym trust");
    rmSync(join(machine.project, ".env"));
    expect(machine.run("names", "--live").err).toContain("nobody has trusted the variables in its envFile");
    expect(machine.hasRun()).toBe(false);

    writeEnv("A=2\n");
    expect(machine.run("trust", "--yes").code).toBe(0);
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);
  });

  it("shows what would run before it asks, and keeps what was trusted to the user", () => {
    const machine = machineWith((mark) => ({
      mcpServers: {
        odd: {
          ...marking(mark),
          env: { API_KEY: "sk-secret", NODE_OPTIONS: "--require ./x.js", UV_INDEX_URL: "https://x.example/" },
          isolation: ["sh", "-c", "touch owned"],
        },
        web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer sk-secret" } },
      },
    }));
    const { err } = machine.run("trust");
    expect(err).toContain("2 servers that nobody trusted yet");
    expect(err).toContain(`starts ${process.execPath} -e require`);
    expect(err).toContain("with NODE_OPTIONS=--require ./x.js");
    expect(err).toContain("with UV_INDEX_URL=https://x.example/");
    expect(err).toContain('with "isolation": ["sh","-c","touch owned"]');
    expect(err).toContain("connects to https://example.com/mcp");
    expect(err).toContain("with the header Authorization");
    expect(err).not.toContain("sk-secret");
    expect(machine.run("trust", "--yes").code).toBe(0);
    const folder = join(machine.home, ".local/state/onym");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "trust.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "trust.json"), "utf8")).not.toContain("sk-secret");
  });

  it.each([
    ["an integration", { mcpServers: { odd: { command: "x", integration: "${SECRET}" } } }],
    ["a style", { naming: { style: "${SECRET}" }, mcpServers: {} }],
    ["a profile", { naming: { profile: "x${SECRET}" }, mcpServers: {} }],
    ["a file of tools", { mcpServers: { odd: { tools: "${SECRET}.json" } } }],
    ["a rule", { policy: { rules: [{ effect: "ask", tool: "${SECRET}" }] }, mcpServers: {} }],
    ["a launch", { mcpServers: { odd: { command: "x", args: ["-c", "${SECRET}"], cwd: "${SECRET}" } } }],
  ])("shows no variable of the environment through %s", (_, config) => {
    const machine = machineWith(() => config);
    const env = { HOME: machine.home, SECRET: "Shown-To-Nobody" };
    for (const args of [["doctor"], ["explain", "a"], ["policy", "test", "a"], ["trust"]]) {
      const { out, err } = runOnym(machine.project, args, { env });
      expect(out + err).not.toContain("Shown-To-Nobody");
      if (args[0] === "trust" && "naming" in config) expect(err).toContain("${SECRET}");
    }
  });

  it.each([
    ["a limit", { mcpServers: { q: { tools: ["x"] } }, limits: { callMs: "${SECRET}" } }],
    ["a file of tools", { mcpServers: { q: { tools: "${SECRET}" } } }],
    ["a profile", { mcpServers: {}, naming: { profile: "x${SECRET}" } }],
  ])(
    "shows no variable of the environment through %s where a command reads a file that is named",
    (_, config) => {
      const machine = machineWith(() => config, "onym.json", { SECRET: "Shown-To-Nobody" });
      writeFileSync(join(machine.project, "onym.lock"), "{}");
      const commands = [
        ["trust", "onym.json"],
        ["diff", "onym.json", "onym.lock"],
        ["import", "onym.json", "--dry-run"],
        ["connect", "claude-code", "--file", "onym.json", "--dry-run"],
        ["names", "--config", "onym.json"],
      ];
      for (const args of commands) {
        const { out, err } = machine.run(...args);
        expect([args, out + err]).toEqual([args, expect.not.stringContaining("Shown-To-Nobody")]);
      }
    },
  );

  it("needs no trust where the user named it, or where it is the user's own", () => {
    const machine = machineWith(withServer);
    machine.run("names", "--live", "--config", "onym.json");
    expect(machine.hasRun()).toBe(true);
    rmSync(machine.mark);
    const own = join(machine.home, ".config/onym");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "onym.json"), JSON.stringify(withServer(machine.mark)));
    rmSync(join(machine.project, "onym.json"));
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);
  });

  it("is served without it, over HTTP and stdio, and with it as soon as it is trusted", async () => {
    const machine = machineWith(withServer);
    const env = onymEnvironment(machine.home, {});
    const stdio = spawnSync(process.execPath, [ONYM_BIN, "serve", "--stdio"], {
      cwd: machine.project,
      input: "",
      encoding: "utf8",
      env,
    });
    expect(stdio.status).toBe(0);
    expect(stdio.stdout).toBe("");
    expect(stdio.stderr).toContain("nobody has trusted this launch yet");

    const onym = await startOnym({ dir: machine.project, isFound: true, env: { HOME: machine.home } });
    await onym.said(/^1 tool of 2 servers, 1 down/m);
    expect(machine.hasRun()).toBe(false);
    expect(machine.run("trust", "--yes").code).toBe(0);
    await onym.said(/^onym: config in force: 1 server changed, 1 unchanged$/m);
    await onym.said(/^ {2}down {3}odd {2}(?!its config was found)/m);
    expect(machine.hasRun()).toBe(true);
    await onym.stop();
  });

  it("connects to no store outside its folder before that is trusted", async () => {
    const calls: string[] = [];
    const database = createServer((socket) => {
      calls.push("connected");
      socket.destroy();
    });
    await new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve));
    const { port } = database.address() as AddressInfo;
    const store = `postgres://\${USER:-me}:secret@127.0.0.1:${port}/db`;
    const machine = machineWith(() => ({ store, mcpServers: { fine: { tools: ["get"] } } }));
    for (const args of [["names"], ["lock"], ["approvals"], ["doctor"], ["serve", "--stdio"]]) {
      const { code, err } = await machine.runAside(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain('nobody has trusted its "store" yet');
      expect(err).toContain("onym trust");
      expect(err).not.toContain("secret");
    }
    expect(calls).toEqual([]);
    expect(machine.run("trust", "--yes").out).toBe('✓ "store" of onym.json trusted.\n');
    expect((await machine.runAside("approvals")).err).not.toContain("trusted");
    expect(calls).not.toEqual([]);
    machine.write({ store: `${store}2`, mcpServers: {} });
    expect((await machine.runAside("approvals")).err).toContain('nobody has trusted its "store" yet');
    await new Promise((resolve) => database.close(resolve));
  });

  it.each<[string, object, boolean]>([
    ["a file in the folder", { store: "state/onym.db" }, true],
    ["no store", { store: "none" }, true],
    ["a file outside", { store: "../elsewhere.db" }, false],
    ["a file that a variable names", { store: "\u0024{HOME}/onym.db" }, false],
    ["an anchor in the folder", { audit: { anchor: "state/anchor.jsonl" } }, true],
    ["an anchor outside", { audit: { anchor: "../.bashrc" } }, false],
    ["a file behind a link", { store: "linked/onym.db" }, false],
    ["an anchor behind a link", { audit: { anchor: "linked/anchor.jsonl" } }, false],
    ["tokens", { auth: { tokens: [{ name: "ci", hash: `sha256:${"a".repeat(64)}` }] } }, false],
    ["an issuer", { auth: { oauth: { issuer: "https://id.example.com" } } }, false],
  ])("with %s is used as it is, or asks first", (_, more, isFree) => {
    const machine = machineWith(() => ({ ...more, mcpServers: { fine: { tools: ["get"] } } }));
    symlinkSync(machine.home, join(machine.project, "linked"));
    const { code, err } = machine.run("names");
    expect(code).toBe(isFree ? 0 : 2);
    if (isFree) return;
    const [name] = Object.keys(more);
    expect(err).toContain(`nobody has trusted its "${name}" yet`);
    expect(machine.run("names", "--config", "onym.json").code).toBe(0);
    expect(machine.run("trust").err).toContain(`onym.json was found in this folder and has "${name}"`);
    expect(machine.run("trust", "--yes").code).toBe(0);
    expect(machine.run("names").code).toBe(0);
    expect(machine.run("trust", "--undo").code).toBe(0);
    expect(machine.run("names").code).toBe(2);
  });

  it.each([
    ["onym.db", "store"],
    ["onym.db-wal", "store"],
    ["onym.db-shm", "store"],
    ["onym.db-journal", "store"],
    ["onym.db-revision", "store"],
    ["onym.db.key", "store"],
    ["onym.lock", "lock"],
    ["onym.prompts.lock", "lock"],
  ])("with a link %s to a file elsewhere opens nothing before that is trusted", (file, section) => {
    const machine = machineWith(() => ({ mcpServers: { fine: { tools: ["get"] } } }));
    const target = join(machine.home, "own");
    symlinkSync(target, join(machine.project, file));
    const commands = [
      ["revoke", "1"],
      ["audit", "export"],
      ["store", "backup", "copy.db"],
      ["serve", "--stdio"],
      ["names"],
      ["lock"],
    ];
    for (const args of commands) {
      const { code, err } = machine.run(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain(`nobody has trusted its "${section}" yet`);
      expect(err).toContain(`${file}, which is a link to ${target}`);
    }
    expect(existsSync(target)).toBe(false);
    expect(existsSync(join(machine.project, "copy.db"))).toBe(false);
    expect(machine.run("trust", "--yes").out).toBe(`✓ "${section}" of onym.json trusted.\n`);
    expect(machine.run("trust").code).toBe(0);
    rmSync(join(machine.project, file));
    symlinkSync(`${target}-2`, join(machine.project, file));
    expect(machine.run("names").err).toContain(`nobody has trusted its "${section}" yet`);
  });

  it("is trusted where onym init wrote it from the user's own clients, not from files of the folder", () => {
    const machine = machineWith(() => ({}), "unused.json");
    mkdirSync(join(machine.home, ".cursor"));
    const mcpServers = { mine: marking(machine.mark) };
    writeFileSync(join(machine.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
    const theirs = { theirs: marking(`${machine.mark}-2`) };
    writeFileSync(join(machine.project, ".mcp.json"), JSON.stringify({ mcpServers: theirs }));
    const { code, err } = machine.run("init");
    expect(code).toBe(0);
    expect(err).toContain('"theirs" came from files of this folder');
    machine.run("names", "--live");
    expect(machine.hasRun()).toBe(true);
    expect(existsSync(`${machine.mark}-2`)).toBe(false);
  });
});

describe("a client's file in a project (CFG-6)", () => {
  const inToml = ({ command, args }: ReturnType<typeof marking>) =>
    `[mcp_servers.odd]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;

  it.each<[string, string, readonly string[], (server: ReturnType<typeof marking>) => string]>([
    [
      "vscode",
      ".vscode/mcp.json",
      [],
      (odd) => JSON.stringify({ servers: { odd: { type: "stdio", ...odd } } }),
    ],
    ["claude-code", ".mcp.json", [], (odd) => JSON.stringify({ mcpServers: { odd } })],
    ["codex", ".codex/config.toml", [], inToml],
    [
      "opencode",
      "opencode.json",
      [],
      ({ command, args }) => JSON.stringify({ mcp: { odd: { type: "local", command: [command, ...args] } } }),
    ],
    // At places that no client uses.
    [
      "continue",
      "given/mine.yaml",
      [],
      ({ command, args }) => JSON.stringify({ mcpServers: [{ name: "odd", command, args }] }),
    ],
    [
      "opencode",
      "given/mine.json",
      [],
      ({ command, args }) => JSON.stringify({ mcp: { odd: { type: "local", command: [command, ...args] } } }),
    ],
    // It has no other file, so that nobody has to name this one.
    ["librechat", "librechat.yaml", ["unnamed"], (odd) => JSON.stringify({ mcpServers: { odd } })],
  ])("onym connect %s starts nothing of %s before it is trusted", (client, file, [isNamed], textOf) => {
    const machine = machineWith(() => ({}), "unused.json");
    const path = join(machine.project, file);
    mkdirSync(dirname(path), { recursive: true });
    const text = textOf(marking(machine.mark));
    writeFileSync(path, text);
    const connect = (...more: readonly string[]) =>
      machine.run("connect", client, ...(isNamed === undefined ? ["--file", file] : []), ...more);

    const dry = connect("--dry-run");
    expect(dry.code).toBe(0);
    expect(dry.err).toContain(`"odd" was not started: you have not trusted ${file} yet`);
    expect(dry.out).toContain("moves to Onym's config");
    for (const more of [[], ["--yes"], ["--yes", "--force"], ["--yes", "--json"]]) {
      const { code, err } = connect(...more);
      expect([more, code]).toEqual([more, 2]);
      expect(err).toContain(`starts ${process.execPath} -e require`);
      expect(err).toContain(`Nobody has trusted "odd" of ${file} yet`);
      expect(err).toContain(`onym trust ${file}`);
    }
    expect(machine.hasRun()).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(text);

    expect(machine.run("trust", file, "--yes")).toMatchObject({
      code: 0,
      out: `✓ 1 server of ${file} trusted: "odd".\n`,
    });
    expect(connect("--dry-run").err).not.toContain("trusted");
    expect(machine.hasRun()).toBe(true);

    rmSync(machine.mark);
    writeFileSync(path, textOf(marking(machine.mark, "changed")));
    expect(connect("--yes").err).toContain("Nobody has trusted");
    expect(machine.hasRun()).toBe(false);
  });

  it("is the user's own where the client keeps it for its user, also when it is named", () => {
    const machine = machineWith(() => ({}), "unused.json");
    mkdirSync(join(machine.home, ".cursor"));
    const own = join(machine.home, ".cursor/mcp.json");
    writeFileSync(own, JSON.stringify({ mcpServers: { mine: marking(machine.mark) } }));
    expect(machine.run("connect", "cursor", "--file", own, "--dry-run").err).not.toContain("trusted");
    expect(machine.hasRun()).toBe(true);
  });
});
