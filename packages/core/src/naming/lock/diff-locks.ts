// The changes between two locks, name by name (LOCK-1).

import { partsOfKey, type ToolKey } from "../../identity/tool-key.js";
import { compareText } from "../../names/compare-text.js";
import type { Lock, LockedName } from "./lock.js";

export interface NameChange {
  readonly profile: string;
  readonly name: string;
  /** `server / raw name` for a tool that has names but was never seen. */
  readonly canonical: string;
}

export interface MovedNameChange extends NameChange {
  /** The tool's former name. */
  readonly from: string;
}

/** A tool with a declared rename: its names belong to its successor (LOCK-5). */
export interface HandedOnName extends NameChange {
  /** The old tool's name. Usually the same name; canonical names differ because they contain the identity. */
  readonly from: string;
  readonly formerly: string;
}

export interface LockDiff {
  readonly added: readonly NameChange[];
  readonly kept: number;
  /** Assigned before, to no tool now. */
  readonly retired: readonly NameChange[];
  /** The tool still exists and has another name. This does not happen while the lock is in use. */
  readonly moved: readonly MovedNameChange[];
  readonly handedOn: readonly HandedOnName[];
  /** Canonical names of tools whose definition changed while their names stayed. */
  readonly redefined: readonly string[];
}

/** @example diffLocks(committed, current).moved.length === 0; // no name moved */
export function diffLocks(before: Lock, after: Lock): LockDiff {
  const added: NameChange[] = [];
  const retired: NameChange[] = [];
  const moved: MovedNameChange[] = [];
  const handedOn: HandedOnName[] = [];
  let kept = 0;
  const ids = [...new Set([...before.profiles.keys(), ...after.profiles.keys()])].sort(compareText);
  for (const profile of ids) {
    const old = currentNames(before.profiles.get(profile)?.names);
    const now = currentNames(after.profiles.get(profile)?.names);
    const living = livingTools(after.profiles.get(profile)?.names);
    const heirs = new Map(
      [...old.keys()].flatMap((key) => {
        const heir = now.has(key) ? undefined : heirOf(key, after, (each) => living.has(each));
        return heir === undefined ? [] : [[key, heir] as const];
      }),
    );
    const inherited = new Set(heirs.values());
    for (const [key, name] of now) {
      const from = old.get(key);
      const change = { profile, name, canonical: canonicalOf(after, key) };
      if (from === name) kept++;
      else if (from !== undefined) moved.push({ ...change, from });
      else if (!inherited.has(key)) added.push(change);
    }
    for (const [key, from] of old) {
      const heir = heirs.get(key);
      const formerly = canonicalOf(before, key);
      if (heir !== undefined)
        handedOn.push({
          profile,
          name: now.get(heir) ?? from,
          canonical: canonicalOf(after, heir),
          from,
          formerly,
        });
      else if (!now.has(key)) retired.push({ profile, name: from, canonical: formerly });
    }
  }
  return {
    added: added.sort(compareChanges),
    kept,
    retired: retired.sort(compareChanges),
    moved: moved.sort(compareChanges),
    handedOn: handedOn.sort(compareChanges),
    redefined: redefinedTools(before, after),
  };
}

/** Tools that are not known to be gone. A tool whose server was not queried may have only inherited names. */
function livingTools(names: ReadonlyMap<string, LockedName> | undefined): ReadonlySet<ToolKey> {
  return new Set(
    [...(names?.values() ?? [])].flatMap(({ key, retired }) => (retired === "removed" ? [] : [key])),
  );
}

/** The tool that a tool without names became, as far as the lock records it. */
function heirOf(key: ToolKey, { tools }: Lock, isLiving: (key: ToolKey) => boolean): ToolKey | undefined {
  const seen = new Set<ToolKey>();
  for (let at = tools.get(key)?.successor; at !== undefined && !seen.has(at); at = tools.get(at)?.successor) {
    if (isLiving(at)) return at;
    seen.add(at);
  }
  return undefined;
}

function currentNames(names: ReadonlyMap<string, LockedName> | undefined): ReadonlyMap<ToolKey, string> {
  const current = new Map<ToolKey, string>();
  for (const [name, { key, retired }] of names ?? []) if (retired === undefined) current.set(key, name);
  return current;
}

function canonicalOf({ tools }: Lock, key: ToolKey): string {
  const known = tools.get(key)?.canonical;
  if (known !== undefined) return known;
  const { toolbox, server, raw } = partsOfKey(key);
  return [...(toolbox === undefined ? [] : [toolbox]), server, raw].join(" / ");
}

function redefinedTools(before: Lock, after: Lock): readonly string[] {
  const changed: string[] = [];
  for (const [key, { digest, canonical }] of after.tools) {
    const old = before.tools.get(key)?.digest;
    if (old !== undefined && old !== digest) changed.push(canonical);
  }
  return changed.sort(compareText);
}

function compareChanges(a: NameChange, b: NameChange): number {
  return compareText(a.profile, b.profile) || compareText(a.name, b.name);
}
