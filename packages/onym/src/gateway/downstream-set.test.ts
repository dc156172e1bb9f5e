import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createDownstreamSet } from "./downstream-set.js";
import { createMemoryDownstream } from "./testing/memory-downstream.js";
import { buildSettings, serverOf } from "./testing/test-callers.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  [999, false],
  [1_000, true],
  [1_001, true],
])("waits 1000 ms (listMs) for a server that is starting: after %i ms, %s", async (ms, expected) => {
  const starting = createMemoryDownstream(undefined);
  starting.status = { kind: "starting", attempt: 1 };
  const set = createDownstreamSet(() => starting);
  set.adopt(buildSettings({ servers: [serverOf(starting)] }), new Set());
  let isOver = false;
  void set.settle(1_000).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect(isOver).toBe(expected);
  // Who asks later shares what is left of the time.
  let isLater = false;
  void set.settle(1_200).then(() => {
    isLater = true;
  });
  await vi.advanceTimersByTimeAsync(1_199 - ms);
  expect(isLater).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isLater).toBe(true);
});
