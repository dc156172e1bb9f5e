import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readContent, startDownstream } from "../testing/start-downstream.js";
import { Pace, type PaceEvents, TURN_MESSAGES } from "./pace.js";
import { MAX_BATCH, readBatch } from "./read-batch.js";

const QUIET: PaceEvents = { onFlood: () => {}, onDropped: () => {}, onDroppedLog: () => {} };

const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/test/x" };
const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };

const LIST_CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

it.each([
  ["one below", MAX_BATCH - 1, 0],
  ["at", MAX_BATCH, 0],
  ["one above", MAX_BATCH + 1, 1],
  ["far above", 50 * MAX_BATCH, 49 * MAX_BATCH],
])(
  "of a batch with notifications %s the limit the first are read, responses always, and what is dropped is reported (limits: MAX_BATCH of read-batch) (SAFE-4)",
  (_, length, dropped) => {
    const reported: number[] = [];
    const batch = [RESPONSE, ...Array(length).fill(NOTIFICATION), RESPONSE];
    const pace = { countBatch: () => {}, countDropped: (count: number) => void reported.push(count) };
    const messages = readBatch(batch, pace);
    expect(messages.filter((message) => message === RESPONSE)).toHaveLength(2);
    expect(messages.filter((message) => message === NOTIFICATION)).toHaveLength(length - dropped);
    expect(reported).toEqual(dropped === 0 ? [] : [dropped]);
  },
);

it("a list change is kept once, wherever it stands in a large batch", () => {
  const batch = [...Array(2 * MAX_BATCH).fill(NOTIFICATION), LIST_CHANGED, LIST_CHANGED];
  const messages = readBatch(batch, { countBatch: () => {}, countDropped: () => {} });
  expect(messages).toHaveLength(MAX_BATCH + 1);
  expect(messages.at(-1)).toBe(LIST_CHANGED);
});

it("what batches lose is reported at once, and then once a minute", () => {
  const reported: number[] = [];
  let now = 0;
  const pace = new Pace(
    { now: () => now, after: () => () => {} },
    { ...QUIET, onDropped: (count) => void reported.push(count) },
  );
  for (const at of [0, 1, 59_999, 60_000]) {
    now = at;
    pace.countDropped(10);
  }
  expect(reported).toEqual([10, 30]);
});

it("a batch counts as its messages do: others get a turn after so many (SAFE-4)", () => {
  const pace = new Pace({ now: () => 0, after: () => () => {} }, QUIET);
  pace.count(10);
  readBatch(Array(TURN_MESSAGES - 1).fill(NOTIFICATION), pace);
  expect(pace.delayAfter(1)).toBe(undefined);
  pace.count(10);
  expect(pace.delayAfter(1)).toBe(0);
});

it("a server's large batch answers its request, its first notifications arrive, and the log counts the others", async () => {
  const path = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
  const { downstream, call, notifications, logged } = startDownstream({
    launch: { kind: "stdio", command: process.execPath, args: [path], env: new Map(), cwd: process.cwd() },
  });
  await downstream.firstAttempt;
  const answer = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"1"}]}}';
  const batch = (count: number) => `[${`${JSON.stringify(NOTIFICATION)},`.repeat(count)}${answer}]`;
  expect(readContent(await call("write", { lines: [batch(MAX_BATCH)] }))).toBe(1);
  expect(notifications).toHaveLength(MAX_BATCH);
  expect(logged.join("\n")).not.toContain("batches");
  expect(readContent(await call("write", { lines: [batch(MAX_BATCH + 7)] }))).toBe(1);
  expect(notifications).toHaveLength(2 * MAX_BATCH);
  expect(logged.join("\n")).toMatch(/warn .*sends batches of more than 100 messages that answer nothing.*7/s);
  await downstream.close();
});
