// Both sides of the channel on real sockets: what is asked is answered, and nobody else learns anything.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { askCatalog, askStatus } from "./ask-gateway.js";
import { type Control, type ControlAnswers, openControl } from "./open-control.js";
import type { GatewayStatus } from "./protocol.js";
import {
  findRegistrations,
  isPrivateFolder,
  type Machine,
  preparePrivateFolder,
  runFolders,
  writeRegistration,
} from "./registration.js";

const folders: string[] = [];
const controls: Control[] = [];
afterEach(() => {
  for (const control of controls.splice(0)) control.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-control-"));
  folders.push(folder);
  return folder;
}

/** A machine whose user has this home. */
const machineOf = (home: string): Machine => ({
  platform: process.platform,
  uid: process.getuid?.(),
  stateFolders: [join(home, ".local", "state", "onym")],
});
const TOOLS = Array.from({ length: 3_000 }, (_, at) => ({ name: `t${at}`, description: "ä".repeat(200) }));

function statusOf(config: string, startedAt: number): GatewayStatus {
  const about = { since: startedAt, isListed: true, listProblems: [] };
  return {
    pid: process.pid,
    version: "1.0.0",
    config,
    transport: "http",
    startedAt,
    mode: "static",
    servers: [
      { server: "none", state: "ready", toolCount: 0, ...about },
      { server: "many", toolbox: "dev", state: "ready", toolCount: TOOLS.length, ...about },
    ],
    toolboxes: [],
    problems: [],
    problemCount: 0,
  };
}

interface Opening {
  readonly home: string;
  readonly startedAt?: number;
  readonly answers?: Partial<ControlAnswers>;
}

async function open({ home, startedAt = 1, answers = {} }: Opening) {
  const config = join(home, "onym.json");
  const trouble: string[] = [];
  const control = await openControl({
    config,
    transport: "http",
    startedAt,
    machine: machineOf(home),
    answers: {
      status: async () => statusOf(config, startedAt),
      catalog: async () => ({ status: statusOf(config, startedAt), tools: [[], TOOLS] }),
      decisions: async () => statusOf(config, startedAt),
      ...answers,
    },
    onTrouble: (reason) => trouble.push(reason),
  });
  controls.push(control);
  return { control, config, trouble };
}

const askOptions = (home: string) => ({
  config: join(home, "onym.json"),
  machine: machineOf(home),
  timeoutMs: 20_000,
});

function registrationIn(home: string) {
  const [found] = findRegistrations(join(home, "onym.json"), machineOf(home));
  if (found === undefined) throw new Error("nobody left word");
  return found;
}

/** All that a connection is sent after these words, until it is closed. */
function sendRaw(path: string, words: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect({ path }, () => socket.write(words));
    socket.setEncoding("utf8").on("data", (part: string) => {
      heard += part;
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(heard));
  });
}

describe("a running gateway", () => {
  it("tells its status, and a catalog of any size tool for tool (CFG-5)", async () => {
    const home = newFolder();
    const { config, trouble } = await open({ home });
    const { answers, silent } = await askStatus(askOptions(home));
    expect({ answers, silent, trouble }).toEqual({ answers: [statusOf(config, 1)], silent: [], trouble: [] });
    const { answer } = await askCatalog(askOptions(home));
    expect(answer?.tools).toEqual([[], TOOLS]);
  });

  it("is found by its config file alone, through links too (CFG-5)", async () => {
    const home = newFolder();
    writeFileSync(join(home, "onym.json"), "{}");
    symlinkSync(join(home, "onym.json"), join(home, "link.json"));
    await open({ home });
    expect((await askCatalog({ ...askOptions(home), config: join(home, "link.json") })).answer).toBeDefined();
    const other = await askCatalog({ ...askOptions(home), config: join(home, "other.json") });
    expect(other).toEqual({ answer: undefined, silent: [] });
  });

  it("leaves word that only its user can read, and none behind", async () => {
    const home = newFolder();
    const { control } = await open({ home });
    const [folder = ""] = runFolders(machineOf(home));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder);
    expect(files.map((name) => name.replace(/.*\./, "")).sort()).toEqual(["json", "sock"]);
    for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    control.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("tells nothing to who does not know its token, speaks another protocol, or sends too much", async () => {
    const home = newFolder();
    await open({ home });
    const { socket, token } = registrationIn(home);
    const ask = (request: object) => sendRaw(socket, `${JSON.stringify(request)}\n`);
    expect(await ask({ onym: 2, ask: "status" })).toBe("");
    expect(await ask({ onym: 2, ask: "status", token: "0".repeat(64) })).toBe("");
    expect(await sendRaw(socket, "no json\n")).toBe("");
    expect(await sendRaw(socket, "x".repeat(10_000))).toBe("");
    expect(await ask({ onym: 1, ask: "status", token })).toContain('"error"');
    expect(await ask({ onym: 2, ask: "toString", token })).toContain('"error"');
    expect((await askStatus(askOptions(home))).answers).toHaveLength(1);
  });

  it("has its socket elsewhere where its home is too deep for one", async () => {
    const home = join(newFolder(), "h".repeat(120));
    mkdirSync(home);
    const { trouble } = await open({ home });
    expect(trouble).toEqual([]);
    const { socket } = registrationIn(home);
    expect(Buffer.byteLength(socket)).toBeLessThan(104);
    expect(isPrivateFolder(dirname(socket), machineOf(home))).toBe(true);
    expect((await askStatus(askOptions(home))).answers).toHaveLength(1);
  });

  it("serves its clients where it cannot leave word", async () => {
    const home = newFolder();
    const uid = (process.getuid?.() ?? 0) + 1;
    const trouble: string[] = [];
    const control = await openControl({
      config: join(home, "onym.json"),
      transport: "stdio",
      startedAt: 1,
      // Folders of another user.
      machine: { ...machineOf(home), uid },
      answers: {
        status: () => Promise.reject(),
        catalog: () => Promise.reject(),
        decisions: () => Promise.reject(),
      },
      onTrouble: (reason) => trouble.push(reason),
    });
    control.close();
    expect(trouble).toHaveLength(1);
    rmSync(`/tmp/onym-${uid}`, { recursive: true, force: true });
  });
});

describe("several gateways, and those that are gone", () => {
  it("asks the newest that answers, and says which did not", async () => {
    const home = newFolder();
    const { config } = await open({ home, startedAt: 5 });
    const found = registrationIn(home);
    const [folder = ""] = runFolders(machineOf(home));
    // As a process that was killed leaves it: a newer word, and nobody behind it.
    const gone = { ...found, pid: 4_194_303, startedAt: 9, socket: join(folder, "gone.sock") };
    writeRegistration(folder, gone);
    const asked = await askCatalog(askOptions(home));
    expect(asked.answer?.status.startedAt).toBe(5);
    expect(asked.silent).toEqual([{ pid: gone.pid, kind: "gone", reason: "it is gone" }]);

    writeRegistration(folder, { ...gone, onym: 99 });
    expect((await askCatalog(askOptions(home))).silent).toMatchObject([{ kind: "other" }]);
    writeRegistration(folder, { ...gone, host: `not-${hostname()}` });
    expect((await askCatalog(askOptions(home))).silent).toEqual([]);
    expect(config).toBe(found.config);
  });

  it("takes away what dead processes left when it starts, and nothing of others", async () => {
    const home = newFolder();
    const first = await open({ home });
    const found = registrationIn(home);
    first.control.close();
    const [folder = ""] = runFolders(machineOf(home));
    const dead = writeRegistration(folder, { ...found, pid: 4_194_303 });
    const elsewhere = writeRegistration(folder, { ...found, pid: 4_194_302, host: `not-${hostname()}` });
    const broken = join(folder, `${"0".repeat(16)}-1.json`);
    writeFileSync(broken, "{");
    await open({ home });
    const names = readdirSync(folder).map((name) => join(folder, name));
    expect(names).not.toContain(dead);
    expect(names).toEqual(expect.arrayContaining([elsewhere, broken]));
  });

  it.each<readonly [string, (status: GatewayStatus) => object]>([
    ["nothing", () => ({})],
    ["an unknown state", (status) => ({ ...status, servers: [{ ...status.servers[0], state: "odd" }] })],
    ["a version that is no text", (status) => ({ ...status, version: { toString: 1 } })],
    ["an address that is none", (status) => ({ ...status, url: "here" })],
    ["activity without calls", (status) => ({ ...status, activity: {} })],
    ["activity that is nothing", (status) => ({ ...status, activity: null })],
    ["problems that are none", (status) => ({ ...status, problems: [null] })],
  ])("does not take %s for a status", async (_, spoil) => {
    const home = newFolder();
    const config = join(home, "onym.json");
    await open({ home, answers: { status: async () => spoil(statusOf(config, 1)) as GatewayStatus } });
    expect(await askStatus(askOptions(home))).toEqual({
      answers: [],
      silent: [{ pid: process.pid, kind: "other", reason: "its answer cannot be read" }],
    });
  });

  it("does not wait for one that never answers", async () => {
    const home = newFolder();
    await open({ home, answers: { catalog: () => new Promise(() => {}) } });
    const asked = await askCatalog({ ...askOptions(home), timeoutMs: 50 });
    expect(asked).toMatchObject({ answer: undefined, silent: [{ kind: "other" }] });
  });
});

describe("a private folder", () => {
  it("is closed to others, and no link", () => {
    const home = newFolder();
    const folder = join(home, "run");
    mkdirSync(folder, { mode: 0o755 });
    const machine = machineOf(home);
    expect(isPrivateFolder(folder, machine)).toBe(false);
    expect(preparePrivateFolder(folder, machine)).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    symlinkSync(folder, join(home, "link"));
    expect(preparePrivateFolder(join(home, "link"), machine)).toBe(false);
    expect(isPrivateFolder(folder, { ...machine, uid: (machine.uid ?? 0) + 1 })).toBe(false);
  });
});

it("words of strangers in a registration are read as data", () => {
  const home = newFolder();
  const [folder = ""] = runFolders(machineOf(home));
  preparePrivateFolder(folder, machineOf(home));
  const config = join(home, "onym.json");
  const file = writeRegistration(folder, {
    onym: 2,
    host: hostname(),
    pid: 1,
    config,
    transport: "http",
    startedAt: 1,
    socket: "/s",
    token: "t",
  });
  expect(findRegistrations(config, machineOf(home))).toHaveLength(1);
  const whole = readFileSync(file, "utf8");
  for (const text of [
    "[]",
    "null",
    whole.replace('"t"', "5"),
    whole.slice(0, -3),
    `${whole}${" ".repeat(20_000)}`,
  ]) {
    writeFileSync(file, text);
    expect(findRegistrations(config, machineOf(home))).toEqual([]);
  }
});
