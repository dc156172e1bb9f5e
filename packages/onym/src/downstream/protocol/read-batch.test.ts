import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readContent, startDownstream } from "../testing/start-downstream.js";
import { Pace, TURN_MESSAGES } from "./pace.js";
import { MAX_BATCH, readBatch } from "./read-batch.js";

const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/test/x" };
const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };

it.each([
  ["one below", MAX_BATCH - 1, MAX_BATCH - 1],
  ["at", MAX_BATCH, MAX_BATCH],
  ["one above", MAX_BATCH + 1, 1],
])(
  "of a batch %s the limit, what may be handled in a turn is read, and always responses (SAFE-4)",
  (_, length, read) => {
    const batch = [...Array(length - 1).fill(NOTIFICATION), RESPONSE];
    const messages = readBatch(batch, { countBatch: () => {} });
    expect(messages).toHaveLength(read);
    expect(messages.at(-1)).toBe(RESPONSE);
  },
);

it("a batch counts as its messages do: others get a turn after so many (SAFE-4)", () => {
  const pace = new Pace({ now: () => 0, after: () => () => {} }, () => {});
  pace.count(10);
  readBatch(Array(TURN_MESSAGES - 1).fill(NOTIFICATION), pace);
  expect(pace.delayAfter(1)).toBe(undefined);
  pace.count(10);
  expect(pace.delayAfter(1)).toBe(0);
});

it("a server's large batch answers its request, and its notifications go to nobody", async () => {
  const path = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
  const { downstream, call, notifications } = startDownstream({
    launch: { kind: "stdio", command: process.execPath, args: [path], env: new Map(), cwd: process.cwd() },
  });
  await downstream.settled;
  const answer = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"1"}]}}';
  const batch = (count: number) => `[${`${JSON.stringify(NOTIFICATION)},`.repeat(count)}${answer}]`;
  expect(readContent(await call("write", { lines: [batch(MAX_BATCH)] }))).toBe(1);
  expect(notifications).toHaveLength(0);
  expect(readContent(await call("write", { lines: [batch(MAX_BATCH - 1)] }))).toBe(1);
  expect(notifications).toHaveLength(MAX_BATCH - 1);
  await downstream.close();
});
