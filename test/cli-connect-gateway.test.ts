// How a client that is connected reaches Onym: over stdio or HTTP, in front of gateways that run, and what doctor says of it (LOCK-7).

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, serverWith } from "./cli/connect-machine.js";
import { startOnym } from "./gateway/harness.js";

const CURSOR = ".cursor/mcp.json";
const CONFIG = ".config/onym/onym.json";

type ConnectMachine = ReturnType<typeof newMachine>;

/** A gateway of the user's own config, or of another, as it would run in a terminal. */
async function serve({ home, write }: ConnectMachine, folder: string) {
  write(`${folder}/onym.json`, { mcpServers: { crm: { tools: ["get_leads"] } } });
  const onym = await startOnym({ dir: join(home, folder), env: { HOME: home } });
  return { ...onym, origin: new URL(onym.url).origin };
}

const entryIn = ({ read }: ConnectMachine) => JSON.parse(read(CURSOR)).mcpServers.onym;
const plain = (text: string) => text.replace(/\s+/g, " ");

describe("a gateway that runs in a terminal", () => {
  it("is not relied upon, unless --http says so, and that it must keep running is said (LOCK-7)", async () => {
    const machine = newMachine();
    const { run } = machine;
    const onym = await serve(machine, ".config/onym");
    try {
      const started = await run("connect", "cursor", "--yes");
      expect(entryIn(machine)).toMatchObject({ args: expect.arrayContaining(["--stdio"]) });
      expect(plain(started.out)).toContain("Cursor starts Onym itself: nothing has to run beforehand.");
      expect(plain(started.out)).toContain(
        `or connect it with --http to the gateway that runs at ${onym.origin}, which must keep running then.`,
      );
      const connected = await run("connect", "cursor", "--http", "--yes");
      expect(entryIn(machine)).toMatchObject({ url: `${onym.url}/cursor` });
      expect(plain(connected.out)).toContain(
        `A gateway of this config runs at ${onym.origin}, so Cursor connects to it. It must keep running: ` +
          "onym service install keeps one in the background; with --stdio, Cursor starts its own.",
      );
      expect((await run("doctor")).out).not.toContain("Cursor connects to");
    } finally {
      await onym.stop();
    }
    const after = plain((await run("doctor")).out);
    expect(after).toContain(`Cursor connects to ${onym.origin}, where nothing runs.`);
    expect(after).toContain("onym connect cursor --stdio lets Cursor start its own.");
  });

  it("is told by doctor where it is of another config", async () => {
    const machine = newMachine();
    const { run, write } = machine;
    write(CONFIG, { mcpServers: { crm: { tools: ["get_leads"] } } });
    const onym = await serve(machine, "other");
    write(CURSOR, { mcpServers: { onym: { url: `${onym.url}/cursor` } } });
    try {
      expect(plain((await run("doctor")).out)).toContain(
        `Cursor connects to ${onym.origin}, where a gateway of another config runs (~/other/onym.json).`,
      );
    } finally {
      await onym.stop();
    }
  });
});

it.runIf(process.platform === "linux")("the service is connected to, if it serves this config", async () => {
  const machine = newMachine();
  const { run, write, project } = machine;
  write(CONFIG, { mcpServers: {} });
  write("work/onym.json", { mcpServers: {} });
  const { text } = JSON.parse((await run("service", "install", "--dry-run", "--json")).out);
  write(".config/systemd/user/onym.service", text);
  const connect = async (...flags: readonly string[]) =>
    JSON.parse((await run("connect", "cursor", "--dry-run", "--json", ...flags)).out);
  expect(await connect()).toMatchObject({
    transport: "http",
    reason: "Onym runs as a service, so Cursor connects to it; with --stdio, Cursor starts its own.",
  });
  expect(await connect("--stdio")).toMatchObject({ transport: "stdio" });
  expect(await connect("--config", join(project, "onym.json"))).toMatchObject({ transport: "stdio" });
});

describe("a config that would not stay", () => {
  it.each([
    [
      "the demo's",
      "tmp/onym-demo-x/the bundled demo",
      "The bundled demo has no config that could be changed",
    ],
    [
      "one in a folder that there is not",
      "nowhere/onym.json",
      "There is no ~/nowhere/onym.json, and no folder",
    ],
    ["a new one in a temporary folder", "tmp/onym.json", "the servers of the client would be lost with it"],
  ])("is refused, and nothing is written: %s", async (_, named, reason) => {
    const { home, env, run, write, read } = newMachine();
    Object.assign(env, { TMPDIR: join(home, "tmp") });
    mkdirSync(join(home, "tmp/onym-demo-x"), { recursive: true });
    const before = write(CURSOR, { mcpServers: { one: serverWith("get") } });
    const { code, err } = await run("connect", "cursor", "--yes", "--config", join(home, named));
    expect([code, plain(err)]).toEqual([2, expect.stringContaining(reason)]);
    expect(read(CURSOR)).toBe(before);
    expect(readdirSync(join(home, "tmp/onym-demo-x"))).toEqual([]);
    expect(existsSync(join(home, ".local/state/onym/connect"))).toBe(false);
  });

  it("does not mean a new one in a folder of the user's", async () => {
    const { home, run, write } = newMachine();
    write(CURSOR, { mcpServers: { one: serverWith("get") } });
    const { code } = await run("connect", "cursor", "--yes", "--config", join(home, "work/mine.json"));
    expect([code, existsSync(join(home, "work/mine.json"))]).toEqual([0, true]);
  });
});

describe("commands about another config than that of the gateway that runs", () => {
  it.each([
    ["approvals"],
    ["approve", "1"],
    ["names", "--static"],
    ["resolve", "get_leads", "--static"],
    ["audit", "verify"],
  ])("say so: %s %s", async (...command) => {
    const machine = newMachine();
    const { run, write } = machine;
    const onym = await serve(machine, ".config/onym");
    try {
      write("work/.mcp.json", { mcpServers: { own: { tools: ["get"] } } });
      expect(plain((await run(...command)).err)).toContain(
        "note: this is about .mcp.json of this folder. A gateway runs with ~/.config/onym/onym.json: name that with --config.",
      );
      expect((await run(...command, "--config", ".mcp.json")).err).not.toContain("A gateway runs");
    } finally {
      await onym.stop();
    }
    expect(plain((await run(...command)).err)).toContain(
      "note: this is about .mcp.json of this folder. Your own config is ~/.config/onym/onym.json: name it with --config.",
    );
  });

  it("say so where the user's own is meant, and only a gateway of another runs", async () => {
    const machine = newMachine();
    const { run, write } = machine;
    write(CONFIG, { mcpServers: { crm: { tools: ["get_leads"] } } });
    const onym = await serve(machine, "other");
    try {
      expect(plain((await run("approvals")).err)).toContain(
        "note: this is about ~/.config/onym/onym.json. A gateway runs with ~/other/onym.json: name that with --config.",
      );
    } finally {
      await onym.stop();
    }
  });
});
