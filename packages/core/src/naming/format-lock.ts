// A lock as text: deterministic JSON, one tool a line, made to be committed and to be read in a diff (LOCK-1).

import type { ToolKey } from "../identity/tool-key.js";
import { compareText, sortTexts } from "../names/compare-text.js";
import type { Lock, LockedTool } from "./lock.js";

/** The newest format this program writes and reads. */
export const LOCK_FORMAT = 1;

/** What is written of one tool behind its key. Most profiles share one name, so that one is written once. */
interface LockLine {
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
  const lines = lockLines(lock, profiles);
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
  /** By position of the profile. */
  readonly current: (string | undefined)[];
  readonly former: Map<string, string[]>;
  /** Profiles in which the name is a tombstone. */
  readonly retired: string[];
}

function lockLines(lock: Lock, profiles: readonly string[]): readonly string[] {
  const held = new Map<ToolKey, Held>();
  for (const [position, id] of profiles.entries()) {
    for (const [name, { key, retired }] of lock.profiles.get(id)?.names ?? []) {
      let tool = held.get(key);
      if (tool === undefined) {
        tool = { current: [], former: new Map(), retired: [] };
        held.set(key, tool);
      }
      if (retired === "renamed") tool.former.set(id, sortTexts([...(tool.former.get(id) ?? []), name]));
      else tool.current[position] = name;
      if (retired === "removed") tool.retired.push(id);
    }
  }
  return sortTexts(held.keys()).map((key) => {
    const line = lockLine(lock.tools.get(key as ToolKey), held.get(key as ToolKey) as Held, profiles);
    // A key is the JSON of its parts.
    return `    {"tool":${key},${JSON.stringify(line).slice(1)}`;
  });
}

function lockLine(
  known: LockedTool | undefined,
  { current, former, retired }: Held,
  profiles: readonly string[],
): LockLine {
  const names = current.filter((name) => name !== undefined);
  const name = commonest(names);
  const others = profiles.flatMap((id, position) =>
    current[position] === name ? [] : [[id, current[position] ?? null] as const],
  );
  return {
    canonical: known?.canonical ?? "",
    digest: known?.digest ?? "",
    ...(retired.length === 0 ? {} : { retired: retired.length === names.length ? (true as const) : retired }),
    ...(name === undefined ? {} : { name }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
    ...(former.size === 0 ? {} : { former: Object.fromEntries(former) }),
  };
}

/** The name most profiles share; the first by code point where several are as common. */
function commonest(names: readonly string[]): string | undefined {
  const [first] = names;
  if (names.every((name) => name === first)) return first;
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  let best: string | undefined;
  for (const [name, count] of counts) {
    const lead = count - (best === undefined ? 0 : (counts.get(best) ?? 0));
    if (lead > 0 || (lead === 0 && best !== undefined && compareText(name, best) < 0)) best = name;
  }
  return best;
}
