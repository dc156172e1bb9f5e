// The lock as the gateway keeps it: every name that a list gives out is on record before the list leaves (LOCK-1).

import {
  type Catalog,
  definitionDigest,
  type Lock,
  type LockedTool,
  type NamingTable,
  type ProfileLock,
  type Snapshot,
  type ToolKey,
} from "@onym/core";

import { runAtOnce, runInSlices, type Steps } from "./run-slices.js";

/** Where the lock is kept. `keep` never throws: a lock that cannot be written is told to the operator, and names go on. */
export interface LockKeeper {
  readonly current: () => Lock;
  readonly keep: (next: Lock) => void;
  /** The same for a large lock, while others are served; `false` where `before` is not the lock any more. */
  readonly keepInSlices?: (before: Lock, next: Lock) => Promise<boolean>;
}

/**
 * A lock out of which other replicas give names, too. Writing takes time and may be refused, so nothing of a table is
 * shown before it is on record.
 */
export interface SharedKeeper {
  readonly current: () => Lock;
  /**
   * Makes `next` the lock where `before` still is. `moved`: somebody else was first, and `current` is what they wrote.
   * `failed`: the store does not take it, which was told in the log.
   */
  readonly swap: (before: Lock, next: Lock) => Promise<"kept" | "moved" | "failed">;
  /** Takes over what others wrote. Never rejects: where the store cannot be read, what is known goes on. */
  readonly renew: () => Promise<void>;
  /** Calls the listener when names came from elsewhere. */
  readonly watch: (listener: () => void) => void;
}

export type NameKeeper = LockKeeper | SharedKeeper;

export function isShared(keeper: NameKeeper): keeper is SharedKeeper {
  return "swap" in keeper;
}

/** Lock of nothing on disk: for previews and tests. */
export function createMemoryKeeper(lock: Lock): LockKeeper {
  let current = lock;
  return {
    current: () => current,
    keep: (next) => {
      current = next;
    },
  };
}

/** Records the names of some tables, where they are not on record yet: all at once, for the record is written whole. */
export function recordNames(tables: Iterable<NamingTable>, snapshot: Snapshot, keeper: LockKeeper): void {
  const next = runAtOnce(nextLockSteps(tables, snapshot, keeper.current()));
  if (next !== undefined) keeper.keep(next);
}

/** The same for many tools, while others are served. Names are shown once all are on record. */
export async function recordNamesInSlices(
  tables: readonly NamingTable[],
  snapshot: Snapshot,
  keeper: LockKeeper,
): Promise<void> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const before = keeper.current();
    const next = await runInSlices(nextLockSteps(tables, snapshot, before));
    if (next === undefined || (await keeper.keepInSlices?.(before, next)) === true) return;
    if (keeper.keepInSlices === undefined) break;
  }
  recordNames(tables, snapshot, keeper);
}

/** Each time somebody recorded other names meanwhile. */
const MAX_ATTEMPTS = 3;

/** The lock with the names of some tables; `undefined` where they are on record. */
function* nextLockSteps(
  tables: Iterable<NamingTable>,
  snapshot: Snapshot,
  lock: Lock,
): Steps<Lock | undefined> {
  const profiles = new Map(lock.profiles);
  let isNew = false;
  for (const table of tables) {
    yield;
    const { style, names: given } = table.nextLock();
    const before = lock.profiles.get(table.lockKey);
    const names = before === undefined ? given : withNames(before.names, given);
    if (before?.style === style && sameNames(before.names, names)) continue;
    profiles.set(table.lockKey, { style, names });
    isNew = true;
  }
  yield;
  const tools = snapshot.recordRenames(withDefinitions(lock.tools, snapshot.catalog));
  return isNew || tools !== lock.tools ? { profiles, tools } : undefined;
}

/**
 * Records declared renames as soon as they are in force: the declaration may be taken out before anybody asks for a list.
 * A lock that is shared has them recorded with the names of the next caller.
 */
export function recordRenames(snapshot: Snapshot, keeper: NameKeeper): void {
  if (isShared(keeper)) return;
  const { tools } = keeper.current();
  if (snapshot.recordRenames(tools) !== tools) recordNames([], snapshot, keeper);
}

/** What was recorded after a table was built (by a later view, by another process) is not lost. */
function withNames(before: Names, given: Names): Names {
  for (const name of before.keys()) if (!given.has(name)) return new Map([...before, ...given]);
  return given;
}

type Names = ProfileLock["names"];
type LockedTools = Lock["tools"];

/** What was on record of all tools when a catalog was last looked through: mostly, it still is. */
const recorded = new WeakMap<Catalog, LockedTools>();

/** What the lock knows of tools, with the present definitions; the same where they are on record. */
function withDefinitions(before: LockedTools, catalog: Catalog): LockedTools {
  if (recorded.get(catalog) === before) return before;
  const changed = catalog.tools.filter((tool) => {
    const known = before.get(tool.key);
    return known?.canonical !== tool.canonical || known.digest !== digestOf(tool.definition);
  });
  const tools = new Map<ToolKey, LockedTool>(changed.length === 0 ? [] : before);
  for (const { key, canonical, definition } of changed)
    tools.set(key, { ...before.get(key), canonical, digest: digestOf(definition) });
  const now = changed.length === 0 ? before : tools;
  recorded.set(catalog, now);
  return now;
}

function sameNames(a: Names, b: Names): boolean {
  if (a.size !== b.size) return false;
  for (const [name, entry] of a) {
    const { key, retired } = entry;
    const other = b.get(name);
    if (other === entry) continue;
    if (other === undefined || other.key !== key || other.retired !== retired) return false;
  }
  return true;
}

const digests = new WeakMap<object, string>();

/** Definitions stay the same objects from snapshot to snapshot, so each is hashed once. */
export function digestOf(definition: Parameters<typeof definitionDigest>[0]): string {
  const known = digests.get(definition);
  if (known !== undefined) return known;
  const digest = definitionDigest(definition);
  digests.set(definition, digest);
  return digest;
}

/** Says the digest of a definition that is the same as another. */
export function keepDigest(definition: object, digest: string): void {
  digests.set(definition, digest);
}
