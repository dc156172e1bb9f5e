import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPendingRequests } from "./in-flight-requests.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["one below", 999, undefined],
  ["at", 1_000, 0],
  ["one above", 1_001, 0],
])("waits for what is in flight for 1000 ms: %s (limits.drainMs)", async (_, ms, expected) => {
  const pending = createPendingRequests();
  pending.begin();
  let left: number | undefined;
  void pending.drain(1_000).then((rest) => {
    left = rest;
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect(left).toBe(expected);
});

it("says what is left of the time where all was answered before", async () => {
  const pending = createPendingRequests();
  pending.begin();
  pending.begin();
  const drained = pending.drain(1_000);
  await vi.advanceTimersByTimeAsync(300);
  pending.end();
  await vi.advanceTimersByTimeAsync(100);
  pending.end();
  expect(await drained).toBe(600);
  expect(await createPendingRequests().drain(1_000)).toBe(1_000);
});
