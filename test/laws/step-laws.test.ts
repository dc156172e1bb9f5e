// What is made in steps is what is made at once, whatever else is made between the steps (SAFE-4).

import {
  buildSnapshot,
  EMPTY_LOCK,
  formatLock,
  type Lock,
  type NamingTable,
  parseLock,
  type Snapshot,
  snapshotSteps,
  type ToolSource,
} from "@onym/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sources as nasty } from "./nasty.js";

const PROFILES = ["openai", "cursor", "claude-code", "canonical"];

/** Many tools that fold onto few names, so that every loop has several steps. */
function manyTools(count: number, seed: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const turn = (index * 7_919 + seed) % (count * 2);
    return [`get.x${turn}`, `get_x${turn}`, `Get X${turn}`, `x${turn % 7}`, `long_${"n".repeat(70)}_${turn}`][
      turn % 5
    ] as string;
  });
}

const input = fc.record({
  sources: nasty,
  count: fc.constantFrom(300, 700),
  seed: fc.nat(1_000),
  isLocked: fc.boolean(),
  /** After how many steps somebody else has a turn. */
  every: fc.integer({ min: 1, max: 7 }),
});

/** Everything that can be told of a snapshot, as text. */
function tell(snapshot: Snapshot, tables: readonly NamingTable[]): string {
  return JSON.stringify([
    snapshot.catalog.tools.map(({ key, canonical }) => [key, canonical]),
    snapshot.problems,
    tables.map(({ style, tools, problems }) => [
      style,
      tools.map(({ name, tool, why }) => [name, tool.key, why]),
      problems,
    ]),
    formatLock(snapshot.nextLock(PROFILES)),
  ]);
}

function readLock(text: string): Lock {
  const read = parseLock(text);
  return read.ok ? read.value : EMPTY_LOCK;
}

describe("the laws of steps", () => {
  it("sliced is plain: also while others are made, and others ask for the same table meanwhile (SAFE-4)", () => {
    fc.assert(
      fc.property(input, ({ sources, count, seed, isLocked, every }) => {
        const listed = (from: number): readonly ToolSource[] => [
          ...structuredClone(sources),
          { server: "many", tools: manyTools(count, from) },
        ];
        const before = isLocked
          ? formatLock(buildSnapshot(listed(seed + 1)).nextLock(["openai", "canonical"]))
          : formatLock(EMPTY_LOCK);
        const plain = buildSnapshot(listed(seed), { lock: readLock(before) });
        const expected = tell(
          plain,
          PROFILES.map((id) => plain.namesFor(id)),
        );

        // Two of the same sources and the same lock, step by step in turns: they share what is kept for these.
        const shared = listed(seed);
        const lock = readLock(before);
        const runs = [snapshotSteps(shared, { lock }), snapshotSteps(shared, { lock })];
        const made: Snapshot[] = [];
        let steps = 0;
        while (made.length < runs.length)
          for (const [index, run] of runs.entries()) {
            if (made[index] !== undefined) continue;
            steps += 1;
            const step = run.next();
            if (step.done === true) made[index] = step.value;
          }
        expect(steps).toBeGreaterThan(8);
        for (const snapshot of made) {
          const tables = PROFILES.map((id) => {
            const run = snapshot.tableSteps(id);
            let asked: NamingTable | undefined;
            for (let taken = 1; ; taken += 1) {
              const step = run.next();
              // There is one table of a profile, whoever made it.
              if (step.done === true) {
                expect(snapshot.namesFor(id)).toBe(step.value);
                if (asked !== undefined) expect(step.value).toBe(asked);
                return step.value;
              }
              if (taken === every) asked = snapshot.namesFor(id);
            }
          });
          for (const table of tables) {
            const steps = table.nextLockSteps();
            let step = steps.next();
            while (step.done !== true) step = steps.next();
            expect([...step.value.names]).toEqual([...table.nextLock().names]);
          }
          expect(tell(snapshot, tables)).toBe(expected);
        }
      }),
      { numRuns: 25 },
    );
  });
});
