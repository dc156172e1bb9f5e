// Commands that ask servers, and doctor: the built program, real child processes, real HTTP.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";
import { type Control, createControl, type Script } from "./servers/control.js";

const BIN = join(projectRoot, "packages/onym/dist/bin.js");
const MEMORY = join(projectRoot, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
const folders: string[] = [];
let control: Control;

beforeAll(async () => {
  control = await createControl();
});
afterAll(async () => {
  await control.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files; a value that is no text is written as JSON. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-live-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

const scripts = folderWith({});
const scripted = (script: Script) => control.stdioEntry(script, scripts);
const serversWith = (mcpServers: object, more: object = {}) =>
  folderWith({ "onym.json": { mcpServers, ...more } });

/** Names the config where its servers are asked: one that is only found has to be trusted first (CFG-6). */
function nameConfig(folder: string, args: readonly string[]): readonly string[] {
  const [command = "", ...rest] = args;
  const isAsking = command === "doctor" || args.includes("--live");
  const isNamed = args.some((word) => /^(?:-c|--config|--url|--demo|--help|--)$/.test(word));
  const file = ["onym.json", ".mcp.json"].find((name) => existsSync(join(folder, name)));
  return isAsking && !isNamed && file !== undefined ? [command, "--config", file, ...rest] : args;
}

function start(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [BIN, ...nameConfig(folder, args)], {
    cwd: folder,
    env: { PATH, HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    said.out += part;
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said.err += part;
  });
  const ended = new Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly out: string;
    readonly err: string;
  }>((resolve) => child.once("close", (code, signal) => resolve({ code, signal, ...said })));
  return { child, ended };
}

const onym = (folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  awaitOnym(folder, nameConfig(folder, args), { env });

const DEAD = {
  command: process.execPath,
  args: ["-e", "console.error('Error: no API key');process.exit(3)"],
};

/** A server that says nothing, and whose life can be watched. */
async function watchSilent() {
  let meet: (socket: Socket) => void = () => {};
  const started = new Promise<Socket>((resolve) => {
    meet = resolve;
  });
  const listener = createServer((socket) => {
    socket.on("error", () => {});
    meet(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  listener.unref();
  const { port } = listener.address() as AddressInfo;
  const code = `require("net").connect(${port}, "127.0.0.1"); process.stdin.on("end", () => process.exit()).resume()`;
  const gone = started.then(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once("close", () => listener.close(() => resolve()));
        socket.resume();
      }),
  );
  return { entry: { command: process.execPath, args: ["-e", code] }, started, gone };
}

describe("--live", () => {
  it("names the tools that servers of both transports and eras list now, and ends the servers", async () => {
    const http = await control.startHttp({ label: "web", tools: ["find page"], eras: ["modern"] });
    const docs = control.server("docs");
    const folder = serversWith({
      docs: {
        ...scripted({ label: "docs", tools: ["read_file", "write_file", "stat"], eras: ["legacy"] }),
        toolFilters: ["read_*", "stat"],
      },
      web: { url: http.url },
      fixture: { tools: ["get_leads"] },
    });
    const { code, out, err } = await onym(folder, ["names", "--live", "--profile", "openai", "--json"]);
    const report = JSON.parse(out);
    expect(report.tools.map(({ name }: { name: string }) => name)).toEqual([
      "docs_read_file",
      "docs_stat",
      "fixture_get_leads",
      "web_find_page",
    ]);
    expect(report.problems.map((problem: { code: string }) => problem.code)).toEqual(["spaces"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^ {2}ready {2}docs {2}3 tools/m);
    expect(err).toMatch(/^ {2}ready {2}web {2}1 tool /m);
    await (await docs).gone;
    await http.close();
  });

  it("tells why a server failed, reports the rest, and exits 1", async () => {
    const folder = serversWith({
      good: scripted({ label: "good", tools: ["search"] }),
      dead: DEAD,
      gone: { command: "onym-no-such-program" },
    });
    const named = await onym(folder, ["names", "--live", "--json"]);
    const report = JSON.parse(named.out);
    expect(report.tools).toMatchObject([{ canonical: "good@1/search@1" }]);
    expect(report.problems).toMatchObject([
      { code: "server-down", severity: "error", message: expect.stringContaining("Error: no API key") },
      { code: "server-down", message: expect.stringContaining("not found on PATH") },
    ]);
    expect(named.code).toBe(1);
    expect(named.err).toMatch(/^ {2}down {3}dead/m);

    const shown = await onym(folder, ["matrix", "--live", "--profile", "openai"]);
    expect(shown).toMatchObject({ code: 1, out: expect.stringContaining("good_search") });
    expect(shown.err).toContain('error: The server "dead" could not be asked: it exited with code 3');

    const linted = await onym(folder, ["lint", "--live", "--json"]);
    expect(linted.code).toBe(1);
    expect(JSON.parse(linted.out).summary).toMatchObject({ errors: 2 });
  });

  it("waits no longer than limits.startMs", async () => {
    const silent = await watchSilent();
    const folder = serversWith({ silent: silent.entry }, { limits: { startMs: 200 } });
    const { code, err } = await onym(folder, ["names", "--live"]);
    expect(code).toBe(1);
    expect(err).toContain("it did not answer initialize within 200 ms");
    expect(err).toContain("No tools.\n");
    await silent.gone;
  });

  it("ends the servers when it is interrupted, and then itself", async () => {
    const silent = await watchSilent();
    const { child, ended } = start(serversWith({ silent: silent.entry }), ["names", "--live"]);
    await silent.started;
    child.kill("SIGINT");
    await silent.gone;
    expect(await ended).toEqual({ code: null, signal: "SIGINT", out: "", err: "" });
  });

  it("resolves and explains", async () => {
    const folder = serversWith({ docs: scripted({ label: "resolved", tools: ["read"] }), dead: DEAD });
    const resolved = await onym(folder, ["resolve", "--live", "docs_read", "--json"]);
    expect(JSON.parse(resolved.out)).toMatchObject({ outcome: "resolved", canonical: "docs@1/read@1" });
    expect(resolved.code).toBe(0);
    const explained = await onym(folder, ["explain", "--live", "docs_read"]);
    expect(explained).toMatchObject({ code: 0, out: expect.stringContaining("docs@1/read@1") });
    expect(explained.err).toContain('The server "dead" could not be asked');
    const known = await onym(folder, ["resolve", "--static", "docs_read"]);
    expect(known).toMatchObject({ code: 1, err: expect.stringContaining("--live") });
  });

  it("locks; the names of a server that does not answer stay (LOCK-1)", async () => {
    const docs = scripted({ label: "locked", tools: ["read"] });
    const folder = serversWith({ docs });
    const args = ["lock", "--live", "--profile", "openai"];
    expect(await onym(folder, args)).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 name of 1 tool"),
    });
    expect(await onym(folder, [...args, "--check", "--quiet"])).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    const before = readFileSync(join(folder, "onym.lock"), "utf8");
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { docs: DEAD } }));
    const { code, err } = await onym(folder, [...args, "--quiet"]);
    expect(code).toBe(1);
    expect(err).toContain('The server "docs" could not be asked');
    expect(readFileSync(join(folder, "onym.lock"), "utf8")).toBe(before);
    const checked = await onym(folder, [...args, "--check"]);
    expect(checked).toMatchObject({ code: 1, err: expect.stringContaining('"docs" could not be asked') });
    expect(checked.out).toContain("onym.lock was compared in part only");
    expect(checked.out).not.toContain("in step");
    const { out } = await onym(folder, [...args, "--check", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ status: "incomplete", kept: 1 });

    const more = scripted({ label: "locked more", tools: ["read", "write"] });
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { docs: more } }));
    const drift = await onym(folder, [...args, "--check"]);
    expect(drift).toMatchObject({ code: 1, out: expect.stringContaining("docs_write") });
    expect(drift.err).toContain("Run onym lock --live --config onym.json --profile openai");
  });

  it("does not start Onym with the config that starts it", async () => {
    const folder = folderWith({
      ".mcp.json": { mcpServers: { onym: { command: process.execPath, args: [BIN, "serve", "--stdio"] } } },
    });
    const { code, err } = await onym(folder, ["names", "--live"]);
    expect(code).toBe(1);
    expect(err).toContain("which would start itself again and again");
  });

  it("starts nothing where the config is wrong (CFG-2)", async () => {
    const silent = await watchSilent();
    let isStarted = false;
    void silent.started.then(() => {
      isStarted = true;
    });
    const folder = serversWith({
      a: { ...silent.entry, integration: "same" },
      b: { tools: ["x"], integration: "same" },
    });
    for (const command of [["names", "--live"], ["doctor"]]) {
      const { code, err } = await onym(folder, command);
      expect(code).toBe(2);
      expect(err).toContain("same");
    }
    expect(isStarted).toBe(false);
  });
});

describe("a server in no config", () => {
  const bad = () =>
    scripted({
      label: "bad",
      eras: ["legacy"],
      tools: [
        { name: "fine", description: "Is fine.", inputSchema: { type: "object" } },
        { name: "listed", description: "Is refused.", inputSchema: [] },
        { name: "mute" },
      ],
    });

  it("is started after --, and its definitions are checked", async () => {
    const { command, args } = bad();
    const { code, out, err } = await onym(folderWith({}), ["lint", "--json", "--", command, ...args]);
    const codes = JSON.parse(out).findings.map(({ tool, code }: { tool: string; code: string }) => [
      tool,
      code,
    ]);
    expect(codes).toEqual([
      ["scripted-server@1/listed@1", "bad-input-schema"],
      ["scripted-server@1/mute@1", "bad-input-schema"],
      ["scripted-server@1/mute@1", "no-description"],
    ]);
    expect(code).toBe(1);
    expect(err).toContain("ready  scripted-server  3 tools");
  });

  it("is asked at its address, and no config or lock is looked at", async () => {
    const http = await control.startHttp({ label: "given", tools: ["search"] });
    const folder = folderWith({ "onym.json": "{", "onym.lock": "{" });
    const linted = await onym(folder, ["lint", "--url", http.url, "--format", "github"]);
    expect(linted).toMatchObject({ code: 0, out: "" });
    const named = await onym(folder, ["names", "--url", http.url]);
    expect(named).toMatchObject({ code: 0, out: "localhost_search  localhost@1/search@1\n" });
    const shown = await onym(folder, ["matrix", "--profile", "openai", "cursor", "--url", http.url]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("localhost_search") });
    await http.close();
  });

  it("may be a real one", async () => {
    const folder = folderWith({});
    const { code, out } = await onym(folder, ["names", "-p", "cursor", "--", process.execPath, MEMORY]);
    expect(code).toBe(0);
    expect(out).toContain("server-memory_create_entities");
  });
});

describe("onym doctor", () => {
  const checkOf = (report: { readonly checks: readonly { readonly name: string }[] }, name: string) =>
    report.checks.find((check) => check.name === name);

  it("reports every server, what failed and how to fix it", async () => {
    const http = await control.startHttp({ label: "examined", tools: ["a", "b"], eras: ["modern"] });
    const folder = serversWith({
      memory: { command: process.execPath, args: [MEMORY], toolFilters: ["read_graph"] },
      web: { url: http.url },
      dead: DEAD,
      fixture: { tools: ["get leads"] },
    });
    const { code, out, err } = await onym(folder, ["doctor", "--json"]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const report = JSON.parse(out);
    expect(Object.keys(report)).toEqual(["checks", "servers"]);
    expect(report.servers).toMatchObject([
      { server: "memory", status: "ready", transport: "stdio", eras: ["legacy"], tools: 1, prompts: 0 },
      {
        server: "web",
        status: "ready",
        transport: "http",
        revision: "2026-07-28",
        eras: ["modern"],
        tools: 2,
      },
      { server: "dead", status: "failed", tools: 0, reason: expect.stringContaining("no API key") },
      { server: "fixture", status: "static", tools: 1 },
    ]);
    expect(checkOf(report, "node")).toMatchObject({ status: "ok" });
    expect(checkOf(report, "memory")).toMatchObject({ message: expect.stringContaining("1 of 9 tools") });
    expect(checkOf(report, "dead")).toMatchObject({
      status: "error",
      fix: expect.stringContaining("by hand"),
    });
    expect(checkOf(report, "openai")).toMatchObject({
      status: "ok",
      message: "4 valid names; raw names: 1 refused",
    });
    expect(checkOf(report, "fixture/get leads")).toMatchObject({ status: "warning" });
    await http.close();
  });

  it("exits 0 where there are only warnings, and knows where Onym is registered", async () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { box: scripted({ label: "box", tools: ["open"] }) } },
      ".cursor/mcp.json": {
        mcpServers: { tools: { command: "npx", args: ["-y", "onym", "serve", "--stdio"] } },
      },
    });
    const fine = await onym(folder, ["doctor"], { LANG: "en_US.UTF-8" });
    expect(fine.code).toBe(0);
    expect(fine.out).toMatch(/^ {2}✓ box +1 tool; speaks /m);
    expect(fine.out).toMatch(/^ {2}✓ cursor +registered as tools in \.cursor\/mcp\.json$/m);
    expect(fine.err).toBe("Asking the servers…\n");
    const plain = await onym(folder, ["doctor"], { LANG: "C" });
    expect(plain.out).toMatch(/^ {2}\+ box /m);
  });

  it("looks at the lock: new, in step, out of step, corrupt", async () => {
    const folder = serversWith({ docs: scripted({ label: "step", tools: ["read"] }) });
    const lock = async () => checkOf(JSON.parse((await onym(folder, ["doctor", "--json"])).out), "onym.lock");
    expect(await lock()).toMatchObject({ status: "ok", message: expect.stringContaining("not there yet") });
    await onym(folder, ["lock", "--live", "--profile", "openai"]);
    expect(await lock()).toMatchObject({ status: "ok", message: "in step: 1 name kept" });
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { docs: scripted({ label: "step 2", tools: ["write"] }) } }),
    );
    expect(await lock()).toMatchObject({
      status: "ok",
      message: "in step: 0 names kept, 1 name retired, 1 new name to record",
    });
    writeFileSync(join(folder, "onym.lock"), "<<<<<<< ours");
    const corrupt = await onym(folder, ["doctor", "--json"]);
    expect(corrupt.code).toBe(1);
    expect(checkOf(JSON.parse(corrupt.out), "onym.lock")).toMatchObject({ status: "error" });
  });

  it("says what to do without a config, and refuses an invalid one like every command", async () => {
    const without = await onym(folderWith({}), ["doctor"]);
    expect(without).toMatchObject({
      code: 1,
      out: expect.stringContaining("onym connect CLIENT writes a first one"),
    });
    const invalid = folderWith({ "onym.json": '{"mcpServrs": {}}' });
    const [refused, named] = [await onym(invalid, ["doctor"]), await onym(invalid, ["names"])];
    expect(refused).toEqual(named);
    expect(refused).toMatchObject({ code: 2, out: "" });
  });
});
