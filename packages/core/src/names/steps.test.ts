import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  eachInSteps,
  eachPairInSteps,
  everyInSteps,
  runSteps,
  STEP_ENTRIES,
  type Steps,
  sortSteps,
} from "./steps.js";

/** How often others would have had their turn. */
function countTurns<T>(steps: Steps<T>): number {
  let turns = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) turns += 1;
  return turns;
}

describe("work in steps (SAFE-4)", () => {
  it("looks at every entry once, in order", () => {
    const lengths = [0, 1, STEP_ENTRIES - 1, STEP_ENTRIES, STEP_ENTRIES + 1, 5 * STEP_ENTRIES + 3];
    for (const length of lengths) {
      const entries = Array.from({ length }, (_, index) => `e${index}`);
      const seen: unknown[] = [];
      const turns = countTurns(eachInSteps(entries, (entry, index) => seen.push([entry, index])));
      expect(seen).toEqual(entries.map((entry, index) => [entry, index]));
      expect(turns).toBe(Math.max(0, Math.ceil(length / STEP_ENTRIES) - 1));
      const pairs = new Map(entries.map((entry, index) => [entry, index]));
      const found: unknown[] = [];
      expect(countTurns(eachPairInSteps(pairs, (...pair) => found.push(pair)))).toBe(turns);
      expect(found).toEqual([...pairs]);
      expect(countTurns(everyInSteps(entries, () => true))).toBe(turns);
      expect(runSteps(everyInSteps(entries, () => true))).toBe(true);
    }
  });

  it("asks no further than the first entry that does not pass", () => {
    const asked: number[] = [];
    const entries = Array.from({ length: 3 * STEP_ENTRIES }, (_, index) => index);
    const steps = everyInSteps(entries, (entry, index) => {
      asked.push(index);
      return entry < STEP_ENTRIES + 1;
    });
    expect(runSteps(steps)).toBe(false);
    expect(asked).toEqual(entries.slice(0, STEP_ENTRIES + 2));
  });

  it("sorts as sort does: stable, whatever the order was", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 1, 2_047, 2_048, 2_049, 4_096, 9_000),
        fc.constantFrom(3, 1_000, 1_000_000),
        fc.integer(),
        (length, values, seed) => {
          let state = seed | 0;
          const draw = (): number => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
            return (state >>> 8) % values;
          };
          const entries = Array.from({ length }, (_, index) => ({ value: draw(), index }));
          const sorted = [...entries];
          runSteps(sortSteps(sorted, (a, b) => a.value - b.value));
          expect(sorted).toEqual([...entries].sort((a, b) => a.value - b.value));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("sorts many entries in steps", () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => (index * 7_919) % 20_000);
    expect(countTurns(sortSteps(entries, (a, b) => a - b))).toBeGreaterThan(50);
    expect(entries).toEqual(Array.from({ length: 20_000 }, (_, index) => index));
  });
});
