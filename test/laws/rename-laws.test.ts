// The law of names that move, over snapshots and their locks alone: whatever is renamed, pinned or restyled, and however
// often, a name that was shown once leads to its tool, to what that became, or nowhere.

import {
  buildSnapshot,
  EMPTY_LOCK,
  formatLock,
  type Lock,
  parseLock,
  type Snapshot,
  type ToolKey,
} from "@onym/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isThorough, lawRuns } from "./law-runs.js";
import { type HistoryStep, historySteps, startHistory, type World } from "./name-history.js";

const PROFILES = ["openai", "universal", "claude-code", "roo-code"];
/** Every case builds several snapshots with the names of each profile. */
const RUNS = isThorough ? lawRuns("dear") : { numRuns: 300 };

it("a name that was listed leads to its tool or its successor, or is refused as retired, and to nobody else (LOCK-5) (RES-7) (NAME-4)", () => {
  fc.assert(
    fc.property(historySteps, fc.array(fc.boolean(), { maxLength: 8 }), (steps, restarts) => {
      runHistory(steps, restarts);
    }),
    RUNS,
  );
}, 600_000);

it("the key of a tool survives every declared rename (LOCK-5) (ID-10)", () => {
  fc.assert(
    fc.property(historySteps, (steps) => {
      const history = startHistory();
      const keys = new Map<string, ToolKey>();
      let lock: Lock = EMPTY_LOCK;
      const settle = (): void => {
        const snapshot = snapshotOf(history.world(), lock);
        const taken = new Set<ToolKey>();
        for (const tool of snapshot.catalog.tools) {
          const { key } = snapshot.lineageOf(tool);
          const who = history.whoIs(tool.key);
          expect(keys.get(who) ?? key, tool.canonical).toBe(key);
          expect(taken.has(key), `two tools have the key ${key}`).toBe(false);
          taken.add(key);
          keys.set(who, key);
        }
        lock = snapshot.nextLock(PROFILES);
      };
      settle();
      for (const step of steps) {
        history.apply(step);
        settle();
      }
    }),
    RUNS,
  );
}, 600_000);

function runHistory(steps: readonly HistoryStep[], restarts: readonly boolean[]): void {
  const history = startHistory();
  const listed = new Map<
    string,
    { readonly profile: string; readonly name: string; readonly key: ToolKey }
  >();
  const canonicals = new Map<string, ToolKey>();
  let lock: Lock = EMPTY_LOCK;
  const settle = (): void => {
    const snapshot = snapshotOf(history.world(), lock);
    for (const profile of PROFILES) {
      for (const { name, tool } of snapshot.namesFor(profile).tools) {
        const id = JSON.stringify([profile, name]);
        const before = listed.get(id)?.key ?? tool.key;
        expect(history.whoIs(before), `${name} in ${profile} is another tool's`).toBe(
          history.whoIs(tool.key),
        );
        listed.set(id, { profile, name, key: tool.key });
        history.show(name, tool.key);
      }
    }
    for (const { canonical, key } of snapshot.catalog.tools) {
      const before = canonicals.get(canonical) ?? key;
      expect(history.whoIs(before), `${canonical} is another tool's`).toBe(history.whoIs(key));
      canonicals.set(canonical, key);
    }
    for (const [canonical, key] of canonicals) {
      for (const profile of PROFILES) {
        const found = snapshot.resolve(canonical, { profile });
        const isOthers = found.outcome === "resolved" && history.whoIs(found.tool.key) !== history.whoIs(key);
        expect(isOthers, `${canonical} in ${profile}, once of ${key}`).toBe(false);
      }
    }
    for (const { profile, name, key } of listed.values()) {
      const found = snapshot.resolve(name, { profile });
      const what = `${JSON.stringify(name)} in ${profile}, once of ${key}`;
      if (history.isThere(key)) {
        expect(found.outcome, what).toBe("resolved");
        if (found.outcome === "resolved")
          expect(history.whoIs(found.tool.key), what).toBe(history.whoIs(key));
      } else expect(found.outcome, what).toBe("retired");
    }
    lock = snapshot.nextLock(PROFILES);
  };
  settle();
  for (const [index, step] of steps.entries()) {
    history.apply(step);
    if (restarts[index] === true) lock = reread(lock);
    settle();
  }
}

function snapshotOf({ servers, renames, pins, style }: World, lock: Lock): Snapshot {
  return buildSnapshot(
    servers.map(({ id, toolbox, formerly, tools }) => ({
      server: id,
      tools,
      formerly,
      ...(toolbox === undefined ? {} : { toolbox }),
    })),
    { lock, renames, pins, ...(style === undefined ? {} : { style }) },
  );
}

function reread(lock: Lock): Lock {
  const read = parseLock(formatLock(lock));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}
