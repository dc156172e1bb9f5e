import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Reply } from "../../mcp/message.js";
import { answerOnce } from "./request.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["one below", 63_999, false],
  ["at", 64_000, true],
  ["one above", 64_001, true],
])("gives up a call when its time is over: %s (limits.callMs)", async (_, ms, expected) => {
  const timeoutMs = 64_000;
  const given: string[] = [];
  let reply: Reply | undefined;
  const ask = { method: "tools/call", timeoutMs, signal: new AbortController().signal };
  void answerOnce(ask, 'server "test"', () => (why) => given.push(why)).then((came) => {
    reply = came;
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect([reply !== undefined, given.length === 1]).toEqual([expected, expected]);
  await vi.advanceTimersByTimeAsync(timeoutMs);
  expect(reply).toMatchObject({ kind: "error", error: { data: { outcome: "unknown" } } });
});
