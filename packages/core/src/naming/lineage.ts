// Which identities are one tool by declared renames, and a lock whose names follow them (LOCK-5).

import type { ToolKey } from "../identity/tool-key.js";
import { compareText } from "../names/compare-text.js";
import type { Lock, LockedName, LockedTool, ProfileLock } from "./lock.js";

/** Old identity → the next one. At most one each way and no circle, so that every lineage is a line. */
export type Successions = ReadonlyMap<ToolKey, ToolKey>;

export interface Lineage {
  readonly successions: Successions;
  /**
   * Who an identity is now: the tool itself while it is there, else its nearest successor that is there, else the
   * nearest predecessor (a server that went back), else the last of the line.
   */
  readonly presentKeyOf: (key: ToolKey) => ToolKey;
  /** What else a tool that is there was called by identity, the nearest first. */
  readonly formerKeysOf: (key: ToolKey) => readonly ToolKey[];
  /** The first identity of the line: it survives every declared rename. */
  readonly firstKeyOf: (key: ToolKey) => ToolKey;
}

const NONE: readonly ToolKey[] = Object.freeze([]);

const NO_LINEAGE: Lineage = {
  successions: new Map(),
  presentKeyOf: (key) => key,
  formerKeysOf: () => NONE,
  firstKeyOf: (key) => key,
};

export function buildLineage(successions: Successions, isLive: (key: ToolKey) => boolean): Lineage {
  if (successions.size === 0) return NO_LINEAGE;
  const predecessors = new Map([...successions].map(([from, to]) => [to, from]));
  /** Those behind a key in one direction, up to and without the first one that is there. */
  const absentBehind = (key: ToolKey, next: Successions): { keys: readonly ToolKey[]; live?: ToolKey } => {
    const keys: ToolKey[] = [];
    for (let at = next.get(key); at !== undefined; at = next.get(at)) {
      if (isLive(at)) return { keys, live: at };
      keys.push(at);
    }
    return { keys };
  };
  return {
    successions,
    presentKeyOf(key) {
      if (isLive(key)) return key;
      const later = absentBehind(key, successions);
      return later.live ?? absentBehind(key, predecessors).live ?? later.keys.at(-1) ?? key;
    },
    formerKeysOf(key) {
      const earlier = absentBehind(key, predecessors).keys;
      const later = absentBehind(key, successions);
      return later.live === undefined ? [...earlier, ...later.keys] : earlier;
    },
    firstKeyOf: (key) => absentBehind(key, predecessors).keys.at(-1) ?? key,
  };
}

/**
 * The lock as it is after all renames: what is on record for an old identity is its successor's. `canonicalOf` knows the
 * tools that are there.
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

/** By canonical name: tools of lines that are there, and the others of their line. */
function presentTools(
  { successions }: Lineage,
  canonicalOf: (key: ToolKey) => string | undefined,
): ReadonlyMap<string, { readonly key: ToolKey; readonly line: ReadonlySet<ToolKey> }> {
  const present = new Map<string, { readonly key: ToolKey; readonly line: ReadonlySet<ToolKey> }>();
  const predecessors = new Map([...successions].map(([from, to]) => [to, from]));
  for (const key of new Set([...successions.keys(), ...successions.values()])) {
    const canonical = canonicalOf(key);
    if (canonical === undefined) continue;
    const line = new Set<ToolKey>();
    for (const next of [successions, predecessors])
      for (let at = next.get(key); at !== undefined; at = next.get(at)) line.add(at);
    present.set(canonical, { key, line });
  }
  return present;
}

/** A canonical name says who a tool is: it leads to another of the line only for as long as the tool itself is not there. */
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
    // A canonical name says who a tool is, so the successor has its own.
    const isFormer = profile.style === "canonical" || entry.retired === "renamed";
    const moved: LockedName = isFormer ? { key, retired: "renamed" } : { ...entry, key };
    carried.push({ name, entry: moved, distance: lineage.formerKeysOf(key).indexOf(entry.key) });
  }
  if (carried.length === 0) return profile;
  // Names of its own come first, then those it had last: the first that fits is the one that goes on.
  carried.sort((a, b) => a.distance - b.distance || compareText(a.name, b.name));
  for (const { name, entry } of carried) names.set(name, entry);
  return { ...profile, names };
}

/**
 * What a lock knows of tools, with who became whom, so that later snapshots know it without the declarations.
 * `nameOf` says the canonical name of one that is there, or was declared, and is not on record.
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
    // Of an old server id every tool might have been; what nobody knows of is passed over.
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
    // Without a line of its own nobody would know what the next rename goes on from.
    const name = (next ?? tools).has(successor) ? undefined : nameOf(successor);
    if (name === undefined) continue;
    next ??= new Map(tools);
    next.set(successor, { canonical: name, digest: "" });
  }
  return next ?? tools;
}
