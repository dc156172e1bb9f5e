// The end of onym serve where a server does not want to end: real processes that ignore everything they can ignore.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";

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
      await onym.said(/closing; calls under way may end/);
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
});

async function startStubborn(): Promise<{ readonly onym: RunningOnym; readonly gone: Promise<unknown> }> {
  const PORT = String((server.address() as AddressInfo).port);
  const stubborn = { command: process.execPath, args: ["-e", STUBBORN], env: { STUBBORN, PORT } };
  const onym = await startOnym({ config: { mcpServers: { stubborn }, store: "none" } });
  while (lives.length < 2) await once(server, "connection");
  const pids = await Promise.all(lives.map(async (life) => Number(String((await once(life, "data"))[0]))));
  expect(new Set(pids).size).toBe(2);
  return { onym, gone: Promise.all(lives.map((life) => once(life, "close"))) };
}
