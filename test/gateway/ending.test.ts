// The end of onym serve where a server does not want to end: real processes that ignore everything they can ignore.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { initialize, modern, openSession, post } from "../edge/http-client.js";
import { ONYM_BIN, onymEnvironment, onymFolder, type RunningOnym, startOnym } from "./harness.js";

/** Does not end by itself, when its input ends, or by a signal that can be ignored, and starts another such process. */
const STUBBORN = `
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  const life = require("node:net").connect(Number(process.env.PORT), "127.0.0.1");
  life.on("error", () => {}).on("close", () => process.exit()).write(process.pid + "\\n");
  setInterval(() => {}, 1e6);
  if (process.argv[1] !== "child")
    require("node:child_process").spawn(process.execPath, ["-e", process.env.STUBBORN, "child"], { stdio: "ignore" });
`;

/** Each process holds a line to the test for as long as it lives. */
const server = createServer();
let lives: Socket[] = [];
server.on("connection", (socket) => lives.push(socket.on("error", () => {})));

beforeEach(async () => {
  lives = [];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  for (const life of lives) life.destroy();
  server.close();
});

describe.skipIf(process.platform === "win32")("a server that ignores every request to end", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "is killed with what it started by a second %s, at once",
    async (signal) => {
      const { onym, gone } = await startStubborn();
      onym.signal(signal);
      await onym.said(/shutting down: waiting up to .* for calls in flight/);
      // The first one may arrive twice, so what comes right after it does not count.
      const again = setInterval(() => onym.signal(signal), 20);
      const { code } = await onym.stop(signal).finally(() => clearInterval(again));
      expect(code).toBe(signal === "SIGINT" ? 130 : 143);
      await gone;
    },
  );

  it("is killed in the end by a single one, and Onym ends as always", async () => {
    const { onym, gone } = await startStubborn();
    expect((await onym.stop("SIGINT")).code).toBe(0);
    await gone;
  });

  it("is killed with what it started when Onym itself is killed (SAFE-5)", async () => {
    const { onym, gone } = await startStubborn();
    await onym.stop("SIGKILL");
    await gone;
  });
});

/** Answers a call when the test says so. */
const PATIENT = `
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: "patient", version: "1" };
    if (method === "initialize") send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools: [{ name: "wait", inputSchema: { type: "object" } }] });
    if (method === "tools/call")
      require("node:net").connect(Number(process.env.PORT), "127.0.0.1").once("data", () => send(id, { content: [] }));
  });
`;

describe.skipIf(process.platform === "win32")("a call under way over stdio", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "is answered when Onym is asked to end by %s, and a new one is refused (SAFE-5)",
    async (signal) => {
      const patient = patientServer();
      const { dir, remove } = onymFolder({ config: { mcpServers: { patient }, store: "none" } });
      const onym = spawn(process.execPath, [ONYM_BIN, "serve", "--stdio", "--config", "onym.json"], {
        cwd: dir,
        env: onymEnvironment(dir, {}),
      });
      // It begins with the config that is in force.
      await once(onym.stderr, "data");
      const ended = once(onym, "exit");
      const lines = createInterface({ input: onym.stdout })[Symbol.asyncIterator]();
      const send = (message: object): boolean =>
        onym.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const clientInfo = { name: "test", version: "1" };
      const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      send({ id: 1, method: "initialize", params: hello });
      await lines.next();
      send({ id: 2, method: "tools/call", params: { name: "patient_wait", arguments: {} } });
      const [call] = (await once(server, "connection")) as [Socket];
      onym.kill(signal);
      await once(onym.stderr, "data");
      send({ id: 3, method: "tools/call", params: { name: "patient_wait", arguments: {} } });
      expect(JSON.parse((await lines.next()).value)).toMatchObject({
        id: 3,
        error: { data: { reason: "shutting-down", retryAfterMs: 1000 } },
      });
      call.write("now");
      expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 2, result: { content: [] } });
      expect((await ended)[0]).toBe(0);
      remove();
    },
  );
});

describe.skipIf(process.platform === "win32")("calls over HTTP when Onym is asked to end", () => {
  const wait = { name: "patient_wait", arguments: {} };

  it("are answered if they are in flight, and refused if they are new, with /readyz at 503 (SAFE-5)", async () => {
    const onym = await startOnym({ config: { mcpServers: { patient: patientServer() }, store: "none" } });
    const { url } = onym;
    const headers = await openSession(url);
    const inSession = (id: number, method: string, params: object = {}) =>
      post(
        url,
        { jsonrpc: "2.0", id, method, params },
        { headers: { ...headers, accept: "application/json" } },
      );
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
    const inFlight = inSession(1, "tools/call", wait);
    const [call] = (await once(server, "connection")) as [Socket];
    onym.signal("SIGTERM");
    await onym.said(/onym: shutting down/);
    const ready = await fetch(new URL("/readyz", url));
    expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable" }]);
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    const { body, headers: own } = modern("tools/call", wait, 7);
    const refused = [
      await inSession(2, "tools/call", wait),
      await inSession(3, "tools/list"),
      await post(url, body, { headers: own }),
      await post(url, initialize()),
    ];
    const error = { code: -32000, data: { reason: "shutting-down", retryAfterMs: 1000 } };
    expect(refused.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(
      refused.map(() => [503, "1"]),
    );
    expect(refused.map(({ json }) => json)).toMatchObject([2, 3, 7, 0].map((id) => ({ id, error })));
    expect((await inSession(4, "ping")).json).toMatchObject({ id: 4, result: {} });
    call.write("now");
    expect((await inFlight).json).toMatchObject({ id: 1, result: { content: [] } });
    // It was asked already, and a second SIGTERM would end it at once.
    expect(await onym.stop("SIGCONT")).toEqual({ code: 0, signal: null });
  });

  it("are ended with an error that says so when the time for it is over (SAFE-5)", async () => {
    const onym = await startOnym({
      config: { mcpServers: { patient: patientServer() }, store: "none", limits: { drainMs: 1 } },
    });
    const { body, headers } = modern("tools/call", wait);
    const inFlight = post(onym.url, body, { headers });
    await once(server, "connection");
    expect(await onym.stop("SIGTERM")).toEqual({ code: 0, signal: null });
    expect((await inFlight).json).toMatchObject({ error: { data: { outcome: "unknown" } } });
  });
});

function patientServer(): object {
  const PORT = String((server.address() as AddressInfo).port);
  return { command: process.execPath, args: ["-e", PATIENT], env: { PORT } };
}

async function startStubborn(): Promise<{ readonly onym: RunningOnym; readonly gone: Promise<unknown> }> {
  const PORT = String((server.address() as AddressInfo).port);
  const stubborn = { command: process.execPath, args: ["-e", STUBBORN], env: { STUBBORN, PORT } };
  const onym = await startOnym({ config: { mcpServers: { stubborn }, store: "none" } });
  while (lives.length < 2) await once(server, "connection");
  const pids = await Promise.all(lives.map(async (life) => Number(String((await once(life, "data"))[0]))));
  expect(new Set(pids).size).toBe(2);
  return { onym, gone: Promise.all(lives.map((life) => once(life, "close"))) };
}
