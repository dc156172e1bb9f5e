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
import { isLong } from "../long-runs.js";
import { isThorough, lawRuns } from "./law-runs.js";
import { type HistoryPlan, historyPlans, startHistory, type World } from "./name-history.js";

const PROFILES = ["openai", "universal", "mcp", "canonical", "cursor", "claude-code", "roo-code"];
/**
 * Every case builds several snapshots with the names of each profile. The ordinary run takes the same cases each time;
 * `npm run laws`, or a number in ONYM_RENAME_RUNS, draws new ones.
 */
const ASKED = process.env["ONYM_RENAME_RUNS"];
const ORDINARY =
  ASKED === undefined ? { numRuns: isLong ? 300 : 60, seed: 20261117 } : { numRuns: Number(ASKED) };
const RUNS = isThorough ? lawRuns("dear") : ORDINARY;

/** For each step: whether the lock is written out and read again, and which profiles are listed. */
const turns = fc.array(fc.record({ isRestart: fc.boolean(), listed: fc.subarray(PROFILES) }), {
  maxLength: 10,
});

it("a name that was listed leads to its tool or its successor, or is refused as retired, and to nobody else (LOCK-5) (RES-7) (NAME-4)", () => {
  fc.assert(
    fc.property(historyPlans, turns, (plan, each) => runHistory(plan, each)),
    RUNS,
  );
}, 600_000);

it("the key of a tool survives every declared rename (LOCK-5) (ID-10)", () => {
  fc.assert(
    fc.property(historyPlans, ({ servers, steps }) => {
      const history = startHistory(servers);
      const keys = new Map<string, ToolKey>();
      let lock: Lock = EMPTY_LOCK;
      const settle = (): void => {
        const snapshot = snapshotOf(history.world(), lock);
        const taken = new Set<ToolKey>();
        for (const tool of snapshot.catalog.tools) {
          const { key } = snapshot.lineageOf(tool);
          history.learn(tool.canonical, tool.key);
          const who = history.whoIs(tool.key);
          if (history.stateOf(tool.key) !== "split") expect(keys.get(who) ?? key, tool.canonical).toBe(key);
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

it("an approval is for one tool at most, its own while that is listed; what is rejected stays so, whatever is listed (LOCK-5) (POL-2)", () => {
  fc.assert(
    fc.property(historyPlans, ({ servers, steps }) => {
      const history = startHistory(servers);
      const lines = new Map<ToolKey, Set<ToolKey>>();
      let lock: Lock = EMPTY_LOCK;
      const settle = (): void => {
        const snapshot = snapshotOf(history.world(), lock);
        const approved = new Map<ToolKey, ToolKey>();
        for (const tool of snapshot.catalog.tools) {
          const { former, later, line } = snapshot.lineageOf(tool);
          const keys = new Set(line.map(({ key }) => key));
          const after = new Set(later.map(({ key }) => key));
          expect(
            former.some(({ key }) => after.has(key)),
            "before and after",
          ).toBe(false);
          for (const { key } of [...former, ...later]) {
            expect(snapshot.catalog.toolWithKey(key), `${key} is listed`).toBeUndefined();
            expect(approved.get(key), `${key} is for two tools`).toBeUndefined();
            expect(keys.has(key), `${key} is not in the line`).toBe(true);
            approved.set(key, tool.key);
          }
          // Once declared to be the tool, always, whatever its server lists.
          for (const key of lines.get(tool.key) ?? [])
            expect(keys.has(key), `${key} left the line`).toBe(true);
          lines.set(tool.key, keys);
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

interface Shown {
  readonly profile: string;
  readonly name: string;
  readonly key: ToolKey;
}

function runHistory({ servers, steps }: HistoryPlan, turns: readonly Turn[]): void {
  const history = startHistory(servers);
  const listed = new Map<string, Shown>();
  const canonicals = new Map<string, ToolKey>();
  let lock: Lock = EMPTY_LOCK;
  const settle = (profiles: readonly string[]): void => {
    const snapshot = snapshotOf(history.world(), lock);
    for (const profile of profiles) {
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
      // One that stood in no list is not on record: its name, declared as old, may be that of a tool in a toolbox.
      if (profiles.length > 0) {
        history.learn(canonical, key);
        canonicals.set(canonical, key);
      }
      for (const profile of profiles) {
        const found = snapshot.resolve(canonical, { profile });
        const leads = found.outcome === "resolved" ? found.tool.key : found.outcome;
        expect(leads, `${canonical} in ${profile}`).toBe(key);
      }
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
      const state = history.stateOf(key);
      const what = `${JSON.stringify(name)} in ${profile}, once of ${key}, ${state}: ${found.outcome}`;
      if (found.outcome === "resolved") expect(history.whoIs(found.tool.key), what).toBe(history.whoIs(key));
      if (state === "there") expect(found.outcome, what).toBe("resolved");
      // A name that is declared to lead into a server that does not answer is unknown for as long.
      const refusals = history.world().servers.some(({ isDown }) => isDown)
        ? ["unknown", "retired"]
        : ["retired"];
      if (state === "gone" || state === "away") expect(refusals, what).toContain(found.outcome);
    }
    lock = snapshot.nextLock(profiles);
  };
  settle(PROFILES);
  for (const [index, step] of steps.entries()) {
    history.apply(step);
    const { isRestart, listed: profiles } = turns[index] ?? { isRestart: false, listed: PROFILES };
    if (isRestart) lock = reread(lock);
    settle(profiles);
  }
}

interface Turn {
  readonly isRestart: boolean;
  readonly listed: readonly string[];
}

function snapshotOf({ servers, renames, pins, style }: World, lock: Lock): Snapshot {
  return buildSnapshot(
    servers.map(({ id, toolbox, formerly, tools, isDown }) => ({
      server: id,
      tools: isDown ? [] : tools,
      formerly,
      ...(toolbox === undefined ? {} : { toolbox }),
    })),
    {
      lock,
      renames,
      pins,
      absent: servers.flatMap(({ id, toolbox, isDown }) => (isDown ? [{ server: id, toolbox }] : [])),
      ...(style === undefined ? {} : { style }),
    },
  );
}

function reread(lock: Lock): Lock {
  const read = parseLock(formatLock(lock));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}
