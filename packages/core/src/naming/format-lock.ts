// A lock as text: deterministic JSON, one tool a line, made to be committed and to be read in a diff (LOCK-1).

import { compareText } from "../names/compare-text.js";
import type { Lock } from "./lock.js";

/** The newest format this program writes and reads. */
export const LOCK_FORMAT = 1;

/** Where one tool stands in the file. Most profiles share one name, so that one is written once. */
interface LockLine {
  readonly tool: readonly string[];
  readonly canonical: string;
  readonly digest: string;
  /** The tool is gone; a list where only some profiles have taken note of it. */
  readonly retired?: true | readonly string[];
  readonly name?: string;
  /** By profile, where the name differs from `name`; `null` where there is none. */
  readonly others?: Readonly<Record<string, string | null>>;
  /** By profile: names the tool had before, which still lead to it and to nobody else. */
  readonly former?: Readonly<Record<string, readonly string[]>>;
}

/**
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
export function formatLock(lock: Lock): string {
  const profiles = [...lock.profiles.keys()].sort(compareText);
  const styles = profiles.map(
    (id) => `    ${JSON.stringify(id)}: ${JSON.stringify(lock.profiles.get(id)?.style)}`,
  );
  const lines = lockLines(lock, profiles).map((line) => `    ${JSON.stringify(line)}`);
  return [
    "{",
    `  "onymLock": ${LOCK_FORMAT},`,
    `  "profiles": ${block("{", styles, "}")},`,
    `  "tools": ${block("[", lines, "]")}`,
    "}",
    "",
  ].join("\n");
}

function block(open: string, lines: readonly string[], close: string): string {
  return lines.length === 0 ? open + close : `${open}\n${lines.join(",\n")}\n  ${close}`;
}

interface Held {
  readonly current: Map<string, string>;
  readonly former: Map<string, string[]>;
  /** Profiles in which the name is a tombstone. */
  readonly retired: string[];
}

function lockLines(lock: Lock, profiles: readonly string[]): readonly LockLine[] {
  const held = new Map<string, Held>();
  for (const key of lock.tools.keys()) held.set(key, { current: new Map(), former: new Map(), retired: [] });
  for (const id of profiles) {
    for (const [name, { key, retired }] of lock.profiles.get(id)?.names ?? []) {
      const tool: Held = held.get(key) ?? { current: new Map(), former: new Map(), retired: [] };
      held.set(key, tool);
      if (retired === "renamed")
        tool.former.set(id, [...(tool.former.get(id) ?? []), name].sort(compareText));
      else tool.current.set(id, name);
      if (retired === "removed") tool.retired.push(id);
    }
  }
  return [...held]
    .filter(([, { current, former }]) => current.size > 0 || former.size > 0)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, tool]) => lockLine(key, tool, lock, profiles));
}

function lockLine(
  key: string,
  { current, former, retired }: Held,
  lock: Lock,
  profiles: readonly string[],
): LockLine {
  const known = lock.tools.get(key as never);
  const name = commonest(current.values());
  const others = profiles
    .filter((id) => current.get(id) !== name)
    .map((id) => [id, current.get(id) ?? null] as const);
  return {
    tool: JSON.parse(key) as readonly string[],
    canonical: known?.canonical ?? "",
    digest: known?.digest ?? "",
    ...(retired.length === 0 ? {} : { retired: retired.length === current.size ? (true as const) : retired }),
    ...(name === undefined ? {} : { name }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
    ...(former.size === 0 ? {} : { former: Object.fromEntries(former) }),
  };
}

/** The name most profiles share; the first by code point where several are as common. */
function commonest(names: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  let best: string | undefined;
  for (const [name, count] of counts) {
    const lead = count - (best === undefined ? 0 : (counts.get(best) ?? 0));
    if (lead > 0 || (lead === 0 && best !== undefined && compareText(name, best) < 0)) best = name;
  }
  return best;
}
