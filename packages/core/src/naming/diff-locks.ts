// What changed between two locks, name by name (LOCK-1).

import { compareText } from "../names/compare-text.js";
import type { Lock, LockedName } from "./lock.js";

export interface NameChange {
  readonly profile: string;
  readonly name: string;
  readonly canonical: string;
}

export interface MovedNameChange extends NameChange {
  /** What the tool was called before. */
  readonly from: string;
}

export interface LockDiff {
  readonly added: readonly NameChange[];
  readonly kept: number;
  /** Given before, to nobody now. */
  readonly retired: readonly NameChange[];
  /** The tool is still there and has another name. With a lock in force this does not happen by itself. */
  readonly moved: readonly MovedNameChange[];
  /** Tools whose definition changed while their names stayed, by canonical name. */
  readonly redefined: readonly string[];
}

/** @example diffLocks(committed, current).moved.length === 0; // no name moved */
export function diffLocks(before: Lock, after: Lock): LockDiff {
  const added: NameChange[] = [];
  const retired: NameChange[] = [];
  const moved: MovedNameChange[] = [];
  let kept = 0;
  const ids = [...new Set([...before.profiles.keys(), ...after.profiles.keys()])].sort(compareText);
  for (const profile of ids) {
    const old = currentNames(before.profiles.get(profile)?.names);
    const now = currentNames(after.profiles.get(profile)?.names);
    for (const [key, name] of now) {
      const from = old.get(key);
      const change = { profile, name, canonical: canonicalOf(after, key) };
      if (from === undefined) added.push(change);
      else if (from === name) kept++;
      else moved.push({ ...change, from });
    }
    for (const [key, name] of old) {
      if (!now.has(key)) retired.push({ profile, name, canonical: canonicalOf(before, key) });
    }
  }
  return {
    added: added.sort(compareChanges),
    kept,
    retired: retired.sort(compareChanges),
    moved: moved.sort(compareChanges),
    redefined: redefinedTools(before, after),
  };
}

function currentNames(names: ReadonlyMap<string, LockedName> | undefined): ReadonlyMap<string, string> {
  const current = new Map<string, string>();
  for (const [name, { key, retired }] of names ?? []) if (retired === undefined) current.set(key, name);
  return current;
}

function canonicalOf(lock: Lock, key: string): string {
  return lock.tools.get(key as never)?.canonical ?? key;
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
