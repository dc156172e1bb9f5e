import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createDownstreamSet } from "./downstream-set.js";
import { createMemoryDownstream, failedStatus, READY } from "./testing/memory-downstream.js";
import { buildSettings, serverOf } from "./testing/test-callers.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["one below", 999, false],
  ["at", 1_000, true],
  ["one above", 1_001, true],
])("waits 1000 ms for a server that is starting: %s (limits.listMs)", async (_, ms, expected) => {
  const starting = createMemoryDownstream(undefined);
  starting.status = { kind: "starting", attempt: 1 };
  const set = createDownstreamSet(() => starting);
  set.adopt(buildSettings({ servers: [serverOf(starting)] }), new Set());
  let isOver = false;
  void set.waitForServers(1_000).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect(isOver).toBe(expected);
  // Who asks later shares what is left of the time.
  let isLater = false;
  void set.waitForServers(1_200).then(() => {
    isLater = true;
  });
  await vi.advanceTimersByTimeAsync(1_199 - ms);
  expect(isLater).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isLater).toBe(true);
});

it.each([
  ["until one of several is up", [READY]],
  ["over a failure, until another is up", [failedStatus(1), READY]],
  ["until all have failed", [failedStatus(1), failedStatus(1), failedStatus(1)]],
])("waits for the first server: %s", async (_, statuses) => {
  const made = ["a", "b", "c"].map((server) => createMemoryDownstream(undefined, { server }));
  const left = [...made];
  const set = createDownstreamSet(() => left.shift() ?? createMemoryDownstream(undefined));
  set.adopt(buildSettings({ servers: made.map((each) => serverOf(each)) }), new Set());
  let isOver = false;
  void set.firstUp().then(() => {
    isOver = true;
  });
  for (const [at, status] of statuses.entries()) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isOver).toBe(false);
    made[at]?.come(status);
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver).toBe(true);
});

it("waits for no server where there is none", async () => {
  const set = createDownstreamSet(() => createMemoryDownstream(undefined));
  await set.firstUp();
  expect(set.all()).toEqual([]);
});
