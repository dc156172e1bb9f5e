import { expect, it } from "vitest";
import { silentLog } from "../model/log.js";
import { createAnnouncements } from "./announcements.js";
import type { View } from "./gateway-context.js";
import { createMemoryDownstream, toolsNamed } from "./testing/memory-downstream.js";
import { buildSettings, snapshotOf, viewOf } from "./testing/test-callers.js";

/** Views that come into force one after the other, and lists that a test makes ready. */
function stage() {
  const views = ["a", "b", "c", "d"].map((name) =>
    viewOf(snapshotOf({ downstreams: [createMemoryDownstream({ tools: toolsNamed(name) })] })),
  ) as [View, View, View, View];
  const current = { inForce: views[0], settings: buildSettings() };
  const ready = new Set<View>();
  const prepared: (() => void)[] = [];
  const told: [number, number][] = [];
  const { start, announce } = createAnnouncements({
    current,
    names: { recordAll: (_, work) => work() },
    feed: {
      callers: () => [],
      prepare: (_, after) =>
        ready.has(after)
          ? undefined
          : new Promise<void>((resolve) => {
              prepared.push(() => {
                ready.add(after);
                resolve();
              });
            }),
      announce: (before, after) => void told.push([views.indexOf(before), views.indexOf(after)]),
    },
    log: silentLog,
  });
  start();
  return {
    told,
    swap(index: 1 | 2 | 3): void {
      current.inForce = views[index];
      announce();
    },
    async prepare(): Promise<void> {
      prepared.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it("announces a view when its lists are ready, though others came into force since, and then the newest (GW-7) (SAFE-5)", async () => {
  const { told, swap, prepare } = stage();
  swap(1);
  swap(2);
  swap(3);
  expect(told).toEqual([]);
  await prepare();
  expect(told).toEqual([[0, 1]]);
  await prepare();
  expect(told).toEqual([
    [0, 1],
    [1, 3],
  ]);
  await prepare();
  expect(told).toHaveLength(2);
});
