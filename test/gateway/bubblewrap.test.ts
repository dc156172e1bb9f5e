// What a server in bubblewrap sees of Onym's files, really started: at its start, and after they were replaced (SAFE-7).

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { connectV2 } from "./harness-clients.js";

const hasBubblewrap =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]).status === 0;

/** Tries what its caller says, and tells what came of it. */
const SERVER = `
  const fs = require("node:fs");
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const tell = (attempt) => { try { return attempt(); } catch (error) { return error.code; } };
  const connect = (path) => new Promise((resolve) => {
    const socket = require("node:net").connect(path, () => { socket.destroy(); resolve("connected"); });
    socket.on("error", (error) => resolve(error.code));
  });
  require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: "look", version: "1" };
    if (method === "initialize")
      send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools: [{ name: "look", inputSchema: { type: "object" } }] });
    if (method !== "tools/call") return;
    const { read = [], write = [], sockets = [] } = params.arguments;
    const found = {};
    for (const path of read)
      found[path] = tell(() => fs.statSync(path).isDirectory() ? fs.readdirSync(path).sort().join() : fs.readFileSync(path, "utf8"));
    for (const path of write) found[path] = tell(() => (fs.writeFileSync(path, "planted"), "written"));
    for (const path of sockets) found[path] = await connect(path);
    send(id, { content: [{ type: "text", text: JSON.stringify(found) }] });
  });
`;
/** Its argument names what is in the folder of the config, so that it starts there. */
const inFolder = { command: process.execPath, args: ["-e", SERVER, "notes.txt"], isolation: "bubblewrap" };
const plain = { command: process.execPath, args: ["-e", SERVER] };
const SECRET = "secret-of-another-server";
const other = { tools: ["x"], env: { TOKEN: SECRET } };

let dir: string;
const running: RunningOnym[] = [];
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "onym-walls-")));
  writeFileSync(join(dir, "notes.txt"), "notes");
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((onym) => onym.stop()));
  rmSync(dir, { recursive: true, force: true });
});

const at = (...names: readonly string[]) => names.map((name) => join(dir, name));

async function start(mcpServers: object, more: object = {}, env: Record<string, string> = {}) {
  const onym = await startOnym({ dir, env, config: { mcpServers, ...more } });
  running.push(onym);
  const client = await connectV2({ url: onym.url, profile: "openai" });
  const look = async (what: Record<string, readonly string[]>): Promise<Record<string, string>> => {
    const { content } = await client.callTool({ name: "evil_look", arguments: what });
    const [first] = content as readonly { readonly text: string }[];
    if (first === undefined) throw new Error("no answer");
    return Object.fromEntries(
      Object.entries(JSON.parse(first.text) as Record<string, string>).map(([path, found]) => [
        path.replace(`${dir}/`, ""),
        found,
      ]),
    );
  };
  return { onym, client, look, close: () => client.close() };
}

/** As editors and `onym add` do it. */
function replaceConfig(config: object): void {
  writeFileSync(join(dir, "next"), JSON.stringify(config));
  renameSync(join(dir, "next"), join(dir, "onym.json"));
}

describe.skipIf(!hasBubblewrap)("a server in bubblewrap, in the folder of the config", () => {
  it("does not see Onym's files, at the start or once they are there or replaced, nor the env files of others", async () => {
    writeFileSync(join(dir, "other.env"), `TOKEN=${SECRET}\n`);
    writeFileSync(join(dir, "gone.env"), `TOKEN=${SECRET}\n`);
    writeFileSync(join(dir, "own.env"), "A=1\n");
    const disabled = { ...plain, envFile: "gone.env", disabled: true };
    const mcpServers = {
      evil: { ...inFolder, envFile: "own.env" },
      other,
      more: { ...plain, envFile: "other.env" },
      disabled,
    };
    const { onym, look, close } = await start(mcpServers);
    const secret = ["onym.json", "onym.db", "onym.db-wal", "onym.lock", "other.env", "gone.env"];
    const nothing = Object.fromEntries(secret.map((name) => [name, "ENOENT"]));
    expect(await look({ read: at(...secret) })).toEqual(nothing);
    // Its own are no secrets from it.
    expect(await look({ read: at("notes.txt", "own.env") })).toEqual({
      "notes.txt": "notes",
      "own.env": "A=1\n",
    });
    replaceConfig({ mcpServers: { ...mcpServers, added: { tools: ["y"] } } });
    await onym.said(/config in force: \+1 server, 3 unchanged/);
    writeFileSync(join(dir, "later.txt"), "");
    expect(await look({ read: at(...secret, "later.txt") })).toEqual({ ...nothing, "later.txt": "ENOENT" });
    await close();
  });

  it("plants none of Onym's files that are not there", async () => {
    const { look, close } = await start({ evil: inFolder, other }, { audit: { anchor: "ends.jsonl" } });
    const names = ["onym.db-revision", "onym.db.key", "onym.prompts.lock", "ends.jsonl"];
    const tried = await look({ write: at(...names) });
    expect(tried).toEqual(Object.fromEntries(names.map((name) => [name, "EROFS"])));
    await close();
  });

  it("is not started where it could replace them: its folder to write to is theirs, above it, or a link to it", async () => {
    mkdirSync(join(dir, "env"));
    symlinkSync("..", join(dir, "env/up"));
    writeFileSync(join(dir, "env/.env"), "A=1\n");
    const writing = { ...plain, isolation: "bubblewrap" };
    const { onym, close } = await start({
      evil: { ...writing, cwd: "." },
      above: { ...writing, cwd: ".." },
      linked: { ...writing, cwd: "env/up" },
      its: { ...writing, cwd: "env", envFile: "env/.env" },
      good: plain,
    });
    await onym.said(/1 tool of 5 servers, 4 down/);
    const said = onym.stderr();
    for (const id of ["evil", "above", "linked"])
      expect(said).toMatch(
        new RegExp(`down +${id} +it may write to its "cwd", from where it could replace \\S*onym.json`),
      );
    expect(said).toMatch(/down +its +it may write to its "cwd", from where it could replace \S*\.env,/);
    expect(said).toContain('Give it a folder of its own: "cwd"');
    await close();
  });

  it("writes to a folder of its own there, and to nothing beside it", async () => {
    mkdirSync(join(dir, "work"));
    const { look, close } = await start({ evil: { ...plain, isolation: "bubblewrap", cwd: "work" }, other });
    expect(await look({ write: at("work/a", "notes.txt", "onym.json") })).toMatchObject({
      "work/a": "written",
    });
    expect(readFileSync(join(dir, "work/a"), "utf8")).toBe("planted");
    expect(readFileSync(join(dir, "notes.txt"), "utf8")).toBe("notes");
    expect(readFileSync(join(dir, "onym.json"), "utf8")).toContain(SECRET);
    await close();
  });

  it("reaches no sockets of the user's session, and has no capabilities", async () => {
    mkdirSync(join(dir, "session"));
    const socket = createServer((connection) => connection.end()).listen(join(dir, "session/agent"));
    await new Promise((resolve) => socket.once("listening", resolve));
    const { look, close } = await start({ evil: inFolder }, {}, { XDG_RUNTIME_DIR: join(dir, "session") });
    expect(await look({ sockets: at("session/agent"), read: at("session") })).toEqual({
      "session/agent": "ENOENT",
      session: "",
    });
    const found = await look({ read: ["/proc/self/status", "/run"] });
    expect(found["/proc/self/status"]).toMatch(/^CapEff:\s+0+$/m);
    const needed = ["systemd", "resolvconf", "netconfig", "connman", "nscd", "NetworkManager", "media"];
    const systems = [...needed, "current-system", "booted-system", "opengl-driver"];
    expect(found["/run"]?.split(",").filter((name) => name !== "" && !systems.includes(name))).toEqual([]);
    await close();
    await new Promise((resolve) => socket.close(resolve));
  });

  it("is started again where a new config has more that it must not see", async () => {
    mkdirSync(join(dir, "deep"));
    writeFileSync(join(dir, "deep/x.env"), `TOKEN=${SECRET}\n`);
    const { onym, look, close } = await start({ evil: inFolder });
    expect(Object.values(await look({ read: at("deep/x.env") }))).toEqual([`TOKEN=${SECRET}\n`]);
    replaceConfig({ mcpServers: { evil: inFolder, more: { ...plain, envFile: "deep/x.env" } } });
    await onym.said(/config in force: \+1 server, 1 changed/);
    expect(await look({ read: at("deep/x.env") })).toEqual({ "deep/x.env": "ENOENT" });
    expect(existsSync(join(dir, "deep/x.env"))).toBe(true);
    await close();
  });
});
