// A gateway that runs out of file descriptors, and one whose log nobody reads any more: both go on (SAFE-5).

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { modern, post } from "../edge/http-client.js";
import { ONYM_BIN, onymEnvironment, onymFolder } from "./harness.js";

const PRLIMIT = "/usr/bin/prlimit";

/** Ends itself when it is told to. */
const MORTAL = `
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const tools = ["die", "live"].map((name) => ({ name, inputSchema: { type: "object" } }));
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: "mortal", version: "1" };
    if (method === "initialize") send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools });
    if (method !== "tools/call") return;
    if (params.name === "die") process.exit(7);
    send(id, { content: [{ type: "text", text: String(process.pid) }] });
  });
`;

interface Started {
  readonly onym: ChildProcess;
  readonly url: string;
  /** Resolves with the line of the log that has this text, as often as said. */
  readonly said: (text: string, times?: number) => Promise<string>;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Through a shell that sets the bounds first. */
async function start(shell = ""): Promise<Started> {
  const mortal = { command: process.execPath, args: ["-e", MORTAL] };
  const { dir, remove } = onymFolder({ config: { mcpServers: { mortal }, store: "none" } });
  const args = [ONYM_BIN, "serve", "--port", "0", "--config", "onym.json", "--log-json"];
  const onym = spawn("/bin/sh", ["-c", `${shell} exec "$0" "$@"`, process.execPath, ...args], {
    cwd: dir,
    env: onymEnvironment(dir, {}),
    stdio: ["ignore", "ignore", "pipe"],
  });
  ends.push(() => {
    onym.kill("SIGKILL");
    remove();
  });
  let lines: string[] = [];
  let text = "";
  const watchers = new Set<() => void>();
  onym.stderr.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    lines = text.split("\n");
    for (const look of [...watchers]) look();
  });
  const said = (wanted: string, times = 1) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.filter((line) => line.includes(wanted))[times - 1];
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      onym.once("exit", (code) => reject(new Error(`onym ended with ${code}:\n${text}`)));
      watchers.add(look);
      look();
    });
  const { url } = JSON.parse(await said("onym listening on"));
  return { onym, url, said };
}

async function call(url: string, name: string): Promise<Record<string, unknown>> {
  const { body, headers } = modern("tools/call", { name, arguments: {} });
  return (await post(url, body, { headers: { ...headers, connection: "close" } })).json;
}

describe.skipIf(process.platform !== "linux")("with 64 file descriptors and 70 idle connections", () => {
  it("a server that falls is started again, and calls go on (SAFE-5)", async () => {
    const { url, said } = await start("ulimit -n 64;");
    await said("server is ready");
    const { port, hostname } = new URL(url);
    const idle: Socket[] = [];
    ends.push(() => {
      for (const socket of idle) socket.destroy();
    });
    for (let n = 0; n < 70; n++) {
      const socket = connect(Number(port), hostname).on("error", () => {});
      idle.push(socket);
      await once(socket, "connect");
    }
    expect(await call(url, "mortal_die")).toMatchObject({ error: { data: { outcome: "unknown" } } });
    await said("server is ready", 2);
    expect(await call(url, "mortal_live")).toMatchObject({ result: { content: [{ type: "text" }] } });
    expect(await said("connections are accepted at once")).toContain("ulimit -n");
  });
});

describe.skipIf(!existsSync(PRLIMIT))("without a file descriptor for its pipes", () => {
  const limitFiles = ({ pid }: ChildProcess, soft: string): void => {
    const { status, stderr } = spawnSync(PRLIMIT, ["--pid", String(pid), `--nofile=${soft}:`]);
    expect([status, String(stderr)]).toEqual([0, ""]);
  };

  it("a server is down with the reason, and is started again once there are some (SAFE-5)", async () => {
    const { onym, url, said } = await start();
    await said("server is ready");
    const { result } = await call(url, "mortal_live");
    const [{ text: pid }] = (result as { content: [{ text: string }] }).content;
    // Whatever is closed from here on, its descriptor is not given out again.
    limitFiles(onym, "3");
    process.kill(Number(pid), "SIGKILL");
    expect(await said("it could not be given pipes: too many files are open")).toContain("mortal");
    limitFiles(onym, "1024");
    await said("server is ready", 2);
    expect(await call(url, "mortal_live")).toMatchObject({ result: { content: [{ type: "text" }] } });
  });
});

describe.skipIf(process.platform === "win32")("a gateway whose log nobody reads any more", () => {
  it("goes on without it, and ends as always (SAFE-5)", async () => {
    const { onym, url, said } = await start();
    await said("server is ready");
    onym.stderr?.destroy();
    for (let n = 0; n < 3; n++) {
      onym.kill("SIGHUP");
      expect(await call(url, "mortal_live")).toHaveProperty("result");
    }
    const ended = once(onym, "exit");
    onym.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  });
});
