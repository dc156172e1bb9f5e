// Which identities are the same tool through declared renames, and locks whose names follow them (LOCK-5).

import type { ToolKey } from "../../identity/tool-key.js";
import { compareText } from "../../names/compare-text.js";
import type { Lock, LockedName, LockedTool, ProfileLock } from "./lock.js";

/** Old identity → the next one. At most one each way and no cycles, so every lineage is a line. */
export type Successions = ReadonlyMap<ToolKey, ToolKey>;

export interface Lineage {
  readonly successions: Successions;
  /**
   * The present identity: the tool itself if it is in the catalog, otherwise its nearest successor that is,
   * otherwise the nearest predecessor that is (the server was rolled back), otherwise the last of the line.
   */
  readonly presentKeyOf: (key: ToolKey) => ToolKey;
  /** The other identities of a present tool that are gone: those whose present identity it is. Nearest first. */
  readonly formerKeysOf: (key: ToolKey) => readonly ToolKey[];
  /** The same, those before it apart from those after it: there are some of these where the server went back. */
  readonly goneKeysOf: (key: ToolKey) => {
    readonly earlier: readonly ToolKey[];
    readonly later: readonly ToolKey[];
  };
  /** Every other identity of the line, present or not: those before it, then those after it, nearest first. */
  readonly lineKeysOf: (key: ToolKey) => readonly ToolKey[];
  /**
   * The first identity of the line, which survives every declared rename; behind one that is present, the first after
   * it. For counts and traces: which one it is depends on what servers list, so nothing is decided by it.
   */
  readonly firstKeyOf: (key: ToolKey) => ToolKey;
}

const NONE: readonly ToolKey[] = Object.freeze([]);

const NO_LINEAGE: Lineage = {
  successions: new Map(),
  presentKeyOf: (key) => key,
  formerKeysOf: () => NONE,
  goneKeysOf: () => ({ earlier: NONE, later: NONE }),
  lineKeysOf: () => NONE,
  firstKeyOf: (key) => key,
};

export function buildLineage(successions: Successions, isLive: (key: ToolKey) => boolean): Lineage {
  if (successions.size === 0) return NO_LINEAGE;
  const predecessors = new Map([...successions].map(([from, to]) => [to, from]));
  /** The identities after a key in one direction, up to but excluding the first present one. */
  const absentBehind = (key: ToolKey, next: Successions): { keys: readonly ToolKey[]; live?: ToolKey } => {
    const keys: ToolKey[] = [];
    for (let at = next.get(key); at !== undefined; at = next.get(at)) {
      if (isLive(at)) return { keys, live: at };
      keys.push(at);
    }
    return { keys };
  };
  const goneKeysOf: Lineage["goneKeysOf"] = (key) => {
    const later = absentBehind(key, successions);
    return {
      earlier: absentBehind(key, predecessors).keys,
      later: later.live === undefined ? later.keys : NONE,
    };
  };
  return {
    successions,
    presentKeyOf(key) {
      if (isLive(key)) return key;
      const later = absentBehind(key, successions);
      return later.live ?? absentBehind(key, predecessors).live ?? later.keys.at(-1) ?? key;
    },
    formerKeysOf(key) {
      const { earlier, later } = goneKeysOf(key);
      return [...earlier, ...later];
    },
    goneKeysOf,
    lineKeysOf: (key) => [...keysBehind(key, predecessors), ...keysBehind(key, successions)],
    firstKeyOf: (key) => absentBehind(key, predecessors).keys.at(-1) ?? key,
  };
}

function keysBehind(key: ToolKey, next: Successions): readonly ToolKey[] {
  const keys: ToolKey[] = [];
  for (let at = next.get(key); at !== undefined; at = next.get(at)) keys.push(at);
  return keys;
}

/**
 * The lock after all renames: records of an old identity move to its successor. `canonicalOf` knows the present
 * tools.
 */
export function carryLock(
  lock: Lock,
  lineage: Lineage,
  canonicalOf: (key: ToolKey) => string | undefined,
): Lock {
  if (lineage.successions.size === 0) return lock;
  const profiles = new Map<string, ProfileLock>();
  const present = presentTools(lineage, canonicalOf);
  for (const [id, profile] of lock.profiles) {
    const carried = carryNames(profile, lineage);
    profiles.set(id, giveBack(carried, present));
  }
  return { profiles, tools: lock.tools };
}

/** By canonical name: the present tools of lineages, and the other members of their line. */
function presentTools(
  { successions, lineKeysOf }: Lineage,
  canonicalOf: (key: ToolKey) => string | undefined,
): ReadonlyMap<string, { readonly key: ToolKey; readonly line: ReadonlySet<ToolKey> }> {
  const present = new Map<string, { readonly key: ToolKey; readonly line: ReadonlySet<ToolKey> }>();
  for (const key of new Set([...successions.keys(), ...successions.values()])) {
    const canonical = canonicalOf(key);
    if (canonical === undefined) continue;
    present.set(canonical, { key, line: new Set(lineKeysOf(key)) });
  }
  return present;
}

/**
 * A canonical name identifies a tool, so it resolves to another tool of the line only while its own tool is absent.
 */
function giveBack(profile: ProfileLock, present: ReturnType<typeof presentTools>): ProfileLock {
  let names: Map<string, LockedName> | undefined;
  for (const [canonical, { key, line }] of present) {
    const entry = profile.names.get(canonical);
    if (entry === undefined || !line.has(entry.key)) continue;
    names ??= new Map(profile.names);
    names.set(canonical, profile.style === "canonical" ? { key } : { key, retired: "renamed" });
  }
  return names === undefined ? profile : { ...profile, names };
}

function carryNames(profile: ProfileLock, lineage: Lineage): ProfileLock {
  const names = new Map<string, LockedName>();
  const carried: { readonly name: string; readonly entry: LockedName; readonly distance: number }[] = [];
  for (const [name, entry] of profile.names) {
    const key = lineage.presentKeyOf(entry.key);
    if (key === entry.key) {
      names.set(name, entry);
      continue;
    }
    // A canonical name identifies a tool, so the successor uses its own.
    const isFormer = profile.style === "canonical" || entry.retired === "renamed";
    const moved: LockedName = isFormer ? { key, retired: "renamed" } : { ...entry, key };
    carried.push({ name, entry: moved, distance: lineage.formerKeysOf(key).indexOf(entry.key) });
  }
  if (carried.length === 0) return profile;
  // The tool's own names first, then the most recent ones. The first that fits stays in use.
  carried.sort((a, b) => a.distance - b.distance || compareText(a.name, b.name));
  for (const { name, entry } of carried) names.set(name, entry);
  return { ...profile, names };
}

/**
 * The lock's tool records plus successions, so that later snapshots know them without the declarations. `nameOf`
 * gives the canonical name of a present or declared tool that is not on record.
 */
export function recordSuccessions(
  tools: ReadonlyMap<ToolKey, LockedTool>,
  { successions }: Lineage,
  nameOf: (key: ToolKey) => string | undefined,
): ReadonlyMap<ToolKey, LockedTool> {
  let next: Map<ToolKey, LockedTool> | undefined;
  for (const from of successions.keys()) {
    const known = tools.get(from);
    const canonical = known?.canonical ?? nameOf(from);
    // A former server id could have had any tool; unknown ones are skipped.
    let successor = successions.get(from) as ToolKey;
    for (let to = successions.get(successor); to !== undefined; to = successions.get(successor)) {
      if (tools.has(successor) || nameOf(successor) !== undefined) break;
      successor = to;
    }
    if (canonical === undefined) continue;
    if (known?.successor !== successor) {
      next ??= new Map(tools);
      next.set(from, { canonical, digest: known?.digest ?? "", successor });
    }
    // Without a record of the successor, the next rename would have nothing to continue from.
    const name = (next ?? tools).has(successor) ? undefined : nameOf(successor);
    if (name === undefined) continue;
    next ??= new Map(tools);
    next.set(successor, { canonical: name, digest: "" });
  }
  return next ?? tools;
}
