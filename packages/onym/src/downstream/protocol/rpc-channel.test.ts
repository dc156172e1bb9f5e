import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../config/limits.js";
import type { Log } from "../../model/log.js";
import { createTestClock } from "../testing/start-downstream.js";
import { Pace } from "./pace.js";
import { createRpcChannel } from "./rpc-channel.js";

/** A channel whose clock stands until it is set, and what becomes of debug lines. */
function openChannel() {
  let now = 0;
  const lines: Record<string, unknown>[] = [];
  const hidden: number[] = [];
  const clock = { ...createTestClock(), now: () => now };
  const ignore = (): void => {};
  const log: Log = (_, __, facts = {}) => void lines.push(facts);
  const channel = createRpcChannel({
    label: "server",
    limits: DEFAULT_LIMITS,
    clock,
    log,
    hide: (text) => {
      hidden.push(text.length);
      return text;
    },
    pace: new Pace(clock, { onFlood: ignore, onDropped: ignore, onDroppedLog: ignore }),
    events: {
      onNotification: ignore,
      onServerRequest: () => new Promise(ignore),
      onRoom: ignore,
      onClosed: ignore,
    },
    send: () => true,
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { channel, lines, hidden, pass };
}

it("answers that nobody waits for are logged once a second, with how many more there were (SAFE-5)", () => {
  const { channel, lines, pass } = openChannel();
  const receive = (times: number): void => {
    for (let n = 0; n < times; n += 1) channel.receive('{"jsonrpc":"2.0","id":7,"result":{}}');
  };
  receive(1000);
  expect(lines).toHaveLength(1);
  pass(999);
  receive(1);
  expect(lines).toHaveLength(1);
  pass(1);
  receive(1);
  expect(lines).toHaveLength(2);
  expect(lines[1]?.["before"]).toBe("1000 more");
});

it("long ids are looked at only where they are shown, and only their beginning (SAFE-4)", () => {
  const { channel, lines, hidden } = openChannel();
  channel.receive(JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(20_000), result: {} }));
  channel.receiveGarbage("x".repeat(20_000));
  expect(lines).toHaveLength(2);
  expect(hidden).toEqual([]);
  for (const fact of lines.flatMap((facts) => Object.values(facts))) if (typeof fact === "function") fact();
  expect(hidden).toEqual([64, 1000]);
});
