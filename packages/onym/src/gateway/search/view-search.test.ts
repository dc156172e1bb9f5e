import { afterEach, expect, it, vi } from "vitest";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { snapshotOf } from "../testing/test-callers.js";
import { createViewSearch } from "./view-search.js";

afterEach(() => vi.restoreAllMocks());

/** The turns of the event loop until the work is done. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isCounting = false;
  return turns;
}

it("builds its index between other requests, once (SAFE-4)", async () => {
  // On this clock every step fills a slice.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  const names = Array.from({ length: 1_000 }, (_, n) => `read_${n}`);
  const downstream = createMemoryDownstream({ tools: toolsNamed(...names) }, { server: "fs" });
  const search = createViewSearch(snapshotOf({ downstreams: [downstream] }));
  const first = search("read 7", { limit: 1 });
  expect(await countTurns(first)).toBeGreaterThan(1_000);
  expect((await first).map(({ raw }) => raw)).toEqual(["read_7"]);
  expect(await countTurns(search("read 8"))).toBeLessThan(50);
});
