// One tool in the text of a lock: one line, with the name that most profiles share written once.

import { type ToolKey, tupleOfKey } from "../../identity/tool-key.js";
import { compareText } from "../../names/compare-text.js";
import type { LockedTool } from "./lock.js";

/** The members of a line after the key. The name that most profiles share is written once. */
export interface LockLine {
  readonly canonical: string;
  readonly digest: string;
  /** The key of the tool that succeeds this one (LOCK-5). */
  readonly successor?: readonly string[];
  /** The tool is gone; a list if only some profiles have recorded that. */
  readonly retired?: true | readonly string[];
  readonly name?: string;
  /** By profile, if the name differs from `name`; `null` if there is none. */
  readonly others?: Readonly<Record<string, string | null>>;
  /** By profile: the tool's former names, which still resolve to it and to no other tool. */
  readonly former?: Readonly<Record<string, readonly string[]>>;
}

/** What the lock records about one tool. */
export interface LockedNames {
  /** By position of the profile. */
  readonly current: readonly (string | undefined)[];
  /** By profile. */
  readonly former: ReadonlyMap<string, readonly string[]>;
  /** Profiles in which the name is a tombstone. */
  readonly retired: readonly string[];
}

/** Characters that reorder or hide text in a diff. JSON.stringify escapes no more than controls below U+0020 and half pairs. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const MISLEADING_EACH = new RegExp(MISLEADING, "gu");

/** JSON that looks like what it says: the same values, with escapes for bidirectional and invisible characters (SAFE-1). */
export function escapeJson(json: string): string {
  return MISLEADING.test(json) ? json.replace(MISLEADING_EACH, escapeUnits) : json;
}

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** The start of every line; a key is the JSON of its parts. */
export const LINE_START = `    {"tool":`;

export function formatLockLine(
  key: ToolKey,
  known: LockedTool | undefined,
  names: LockedNames,
  profiles: readonly string[],
): string {
  return escapeJson(`${LINE_START}${key},${JSON.stringify(lockLine(known, names, profiles)).slice(1)}`);
}

function lockLine(
  known: LockedTool | undefined,
  { current, former, retired }: LockedNames,
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
    ...(known?.successor === undefined ? {} : { successor: tupleOfKey(known.successor) }),
    ...(retired.length === 0 ? {} : { retired: retired.length === names.length ? (true as const) : retired }),
    ...(name === undefined ? {} : { name }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
    ...(former.size === 0 ? {} : { former: Object.fromEntries(former) }),
  };
}

/** The most common name; the first by code point if several are equally common. */
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
