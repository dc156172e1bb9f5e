// Lock → text: deterministic JSON with one tool per line, to be committed and read in diffs (LOCK-1).

import type { ToolKey } from "../../identity/tool-key.js";
import { compareText, sortTexts } from "../../names/compare-text.js";
import { changeLockLines, type WrittenLock } from "./fast-path/change-lock-lines.js";
import type { Lock } from "./lock.js";
import { formatLockLine } from "./lock-line.js";

/** The newest format that this version reads and writes. */
export const LOCK_FORMAT = 1;

/**
 * Passing the previously written lock makes small changes faster; the text is the same.
 *
 * @example
 * formatLock(snapshot.nextLock(["openai"]));
 * // {
 * //   "onymLock": 1,
 * //   "profiles": {"openai": "flat"},
 * //   "tools": [
 * //     {"tool":["namespaced","salesforce","get_leads"],"canonical":"salesforce@1/get_leads@1",…,"name":"sf_get_leads"}
 * //   ]
 * // }
 */
export function formatLock(lock: Lock, before?: WrittenLock): string {
  const steps = formatLockSteps(lock, before);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Tools per step. */
const STEP_TOOLS = 200;

/**
 * The same in steps, so that the caller can do other work in between: a lock of 100,000 tools is 20 MB of text.
 *
 * @example
 * const steps = formatLockSteps(snapshot.nextLock(["openai"]));
 * steps.next(); // { done: false, value: undefined }, and at last { done: true, value: "{…}" }
 */
export function* formatLockSteps(lock: Lock, before?: WrittenLock): Generator<undefined, string, undefined> {
  const profiles = [...lock.profiles.keys()].sort(compareText);
  const styles = profiles.map(
    (id) => `    ${JSON.stringify(id)}: ${JSON.stringify(lock.profiles.get(id)?.style)}`,
  );
  const changed = before === undefined ? undefined : changeLockLines(lock, before, profiles);
  const lines = changed === undefined ? yield* lockLines(lock, profiles) : [];
  return [
    "{",
    `  "onymLock": ${LOCK_FORMAT},`,
    `  "profiles": ${block("{", styles, "}")},`,
    changed ?? `  "tools": ${block("[", lines, "]")}\n}\n`,
  ].join("\n");
}

function block(open: string, lines: readonly string[], close: string): string {
  return lines.length === 0 ? open + close : `${open}\n${lines.join(",\n")}\n  ${close}`;
}

interface Held {
  readonly current: (string | undefined)[];
  readonly former: Map<string, string[]>;
  readonly retired: string[];
}

function* lockLines(
  lock: Lock,
  profiles: readonly string[],
): Generator<undefined, readonly string[], undefined> {
  let count = 0;
  const held = new Map<ToolKey, Held>();
  for (const [position, id] of profiles.entries()) {
    for (const [name, { key, retired }] of lock.profiles.get(id)?.names ?? []) {
      let tool = held.get(key);
      if (tool === undefined) {
        tool = { current: [], former: new Map(), retired: [] };
        held.set(key, tool);
      }
      // A line has one name per profile. Other names that a tool inherited through declared renames are former
      // names.
      const isFormer = retired === "renamed" || tool.current[position] !== undefined;
      if (isFormer) tool.former.set(id, sortTexts([...(tool.former.get(id) ?? []), name]));
      else {
        tool.current[position] = name;
        if (retired === "removed") tool.retired.push(id);
      }
      if (++count % STEP_TOOLS === 0) yield;
    }
  }
  // A succession is recorded even if the names already moved to the successor, or are not assigned to it yet.
  for (const [from, { successor }] of lock.tools) {
    for (const key of successor === undefined ? [] : [from, successor])
      if (!held.has(key) && lock.tools.has(key))
        held.set(key, { current: [], former: new Map(), retired: [] });
  }
  const lines: string[] = [];
  for (const text of sortTexts(held.keys())) {
    const key = text as ToolKey;
    const line = formatLockLine(key, lock.tools.get(key), held.get(key) as Held, profiles);
    if (lines.push(line) % STEP_TOOLS === 0) yield;
  }
  return lines;
}
