import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Reply } from "../../mcp/message.js";
import { answerOnce } from "./request.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

// Late by a 64th of it, or by one, at most.
it.each([
  [100, 99, false],
  [100, 101, true],
  [64_000, 63_999, false],
  [64_000, 65_000, true],
])("gives up a call of %i ms (callMs) after that: after %i ms, %s", async (timeoutMs, ms, expected) => {
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
