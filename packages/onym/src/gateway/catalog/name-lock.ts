// The lock as the gateway keeps it: every name is recorded before a list with it is sent (LOCK-1).

import type {
  Catalog,
  Lock,
  LockedName,
  LockedTool,
  NamingTable,
  ProfileLock,
  Snapshot,
  Tool,
  ToolKey,
} from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";

import { CallerTurns, runAtOnce, runInSlices, type SlicedFor, type Steps } from "../../model/run-slices.js";

/**
 * Where the lock is kept. `keep` never throws: if the lock cannot be written, the operator is informed and
 * naming continues.
 */
export interface LockKeeper {
  readonly current: () => Lock;
  readonly keep: (next: Lock) => void;
  /** Writes a large lock between other requests; `false` if `before` is no longer the lock. */
  readonly keepInSlices?: (before: Lock, next: Lock) => Promise<boolean>;
}

/**
 * A lock that other replicas also take names from. Writing takes time and may be refused, so a table is shown
 * only after it is recorded.
 */
export interface SharedKeeper {
  readonly current: () => Lock;
  /**
   * Replaces `before` with `next` if `before` is still current. `moved`: another replica was first, and
   * `current` is what it wrote. `failed`: the store rejected the write, which is logged.
   */
  readonly swap: (before: Lock, next: Lock) => Promise<"kept" | "moved" | "failed">;
  /** Reads what other replicas wrote. Never rejects: if the store cannot be read, the cached lock stays. */
  readonly renew: () => Promise<void>;
  /** Calls the listener when names of other replicas arrive. */
  readonly watch: (listener: () => void) => void;
}

export type NameKeeper = LockKeeper | SharedKeeper;

export function isShared(keeper: NameKeeper): keeper is SharedKeeper {
  return "swap" in keeper;
}

/** A lock in memory: for previews and tests. */
export function createMemoryKeeper(lock: Lock): LockKeeper {
  let current = lock;
  return {
    current: () => current,
    keep: (next) => {
      current = next;
    },
  };
}

/**
 * Records the names of some tables that are not recorded yet, in one write, because the lock is written
 * whole. `true` if there was something to record.
 */
export function recordNames(tables: Iterable<NamingTable>, snapshot: Snapshot, keeper: LockKeeper): boolean {
  const next = runAtOnce(nextLockSteps(tables, snapshot, keeper.current()));
  if (next !== undefined) keeper.keep(next);
  return next !== undefined;
}

/**
 * The same for many tools, between other requests. Names are shown once all are recorded. An outdated view
 * records nothing: it does not know the names recorded since, and might give them to other tools.
 */
export function recordNamesInSlices(
  tables: readonly NamingTable[],
  snapshot: Snapshot,
  keeper: LockKeeper,
  { whom, isOutdated }: { readonly whom: SlicedFor; readonly isOutdated: () => boolean },
): Promise<boolean> {
  const known = recordings.get(keeper);
  const waiting: Recordings = known ?? new CallerTurns();
  recordings.set(keeper, waiting);
  return new Promise((resolve, reject) => {
    const record = (): Promise<void> =>
      recordInSlices(tables, snapshot, keeper, isOutdated).then(resolve, reject);
    waiting.add(whom.callerKey, record);
    whom.onShared?.((first) => waiting.release(first, record));
    if (known === undefined) void recordWaiting(keeper, waiting);
  });
}

type Recordings = CallerTurns<() => Promise<void>>;

/** What waits to be recorded in slices in each lock, while something is recorded. */
const recordings = new WeakMap<LockKeeper, Recordings>();

/** One after the other, callers in turns: each writes the whole lock, so of two at once one would start again. */
async function recordWaiting(keeper: LockKeeper, waiting: Recordings): Promise<void> {
  for (let record = waiting.take(); record !== undefined; record = waiting.take()) await record();
  recordings.delete(keeper);
}

async function recordInSlices(
  tables: readonly NamingTable[],
  snapshot: Snapshot,
  keeper: LockKeeper,
  isOutdated: () => boolean,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    if (isOutdated()) return false;
    const before = keeper.current();
    // In no caller's turn: others wait for it to record theirs.
    const next = await runInSlices(nextLockSteps(tables, snapshot, before));
    if (next === undefined) return false;
    if ((await keeper.keepInSlices?.(before, next)) === true) return true;
    if (keeper.keepInSlices === undefined) break;
  }
  return !isOutdated() && recordNames(tables, snapshot, keeper);
}

/** Each attempt failed because other names were recorded in the meantime. */
const MAX_ATTEMPTS = 3;

/** The lock with the names of some tables; `undefined` if they are all recorded. */
function* nextLockSteps(
  tables: Iterable<NamingTable>,
  snapshot: Snapshot,
  lock: Lock,
): Steps<Lock | undefined> {
  const profiles = new Map(lock.profiles);
  let isNew = false;
  for (const table of tables) {
    yield;
    const { style, names: given } = yield* table.nextLockSteps();
    const before = lock.profiles.get(table.lockKey);
    const names = before === undefined ? given : yield* withNames(before.names, given);
    if (before?.style === style && (yield* sameNames(before.names, names))) continue;
    profiles.set(table.lockKey, { style, names });
    isNew = true;
  }
  yield;
  const tools = snapshot.recordRenames(yield* withDefinitions(lock.tools, snapshot.catalog));
  return isNew || tools !== lock.tools ? { profiles, tools } : undefined;
}

/**
 * Records declared renames as soon as they are in force: the declaration may be removed before any client
 * lists. A shared lock records them with the names of the next caller.
 */
export function recordRenames(snapshot: Snapshot, keeper: NameKeeper): void {
  if (isShared(keeper)) return;
  const { tools } = keeper.current();
  if (snapshot.recordRenames(tools) !== tools) recordNames([], snapshot, keeper);
}

/** Keeps names that a later view or another process recorded after a table was built. */
function* withNames(before: Names, given: Names): Steps<Names> {
  let looked = 0;
  for (const name of before.keys()) {
    if (!given.has(name)) return yield* joined(before, given);
    if (++looked % STEP_NAMES === 0) yield;
  }
  return given;
}

function* joined(before: Names, given: Names): Steps<Names> {
  const names = new Map<string, LockedName>();
  for (const each of [before, given])
    for (const [name, entry] of each) {
      names.set(name, entry);
      if (names.size % STEP_NAMES === 0) yield;
    }
  return names;
}

/** Names and tools per step. */
const STEP_NAMES = 512;

type Names = ProfileLock["names"];
type LockedTools = Lock["tools"];

/** The recorded state of all tools at the last pass over a catalog; usually unchanged. */
const recorded = new WeakMap<Catalog, LockedTools>();

/** The lock's tools with their current definitions; the same object if nothing changed. */
function* withDefinitions(before: LockedTools, catalog: Catalog): Steps<LockedTools> {
  if (recorded.get(catalog) === before) return before;
  const changed: Tool[] = [];
  for (const [index, tool] of catalog.tools.entries()) {
    if (index % STEP_NAMES === STEP_NAMES - 1) yield;
    const known = before.get(tool.key);
    if (known?.canonical !== tool.canonical || known.digest !== digestOf(tool.definition)) changed.push(tool);
  }
  const tools = new Map<ToolKey, LockedTool>();
  if (changed.length > 0)
    for (const [key, tool] of before) {
      tools.set(key, tool);
      if (tools.size % STEP_NAMES === 0) yield;
    }
  for (const [index, { key, canonical, definition }] of changed.entries()) {
    if (index % STEP_NAMES === STEP_NAMES - 1) yield;
    tools.set(key, { ...before.get(key), canonical, digest: digestOf(definition) });
  }
  const now = changed.length === 0 ? before : tools;
  recorded.set(catalog, now);
  return now;
}

function* sameNames(a: Names, b: Names): Steps<boolean> {
  if (a.size !== b.size) return false;
  let looked = 0;
  for (const [name, entry] of a) {
    if (++looked % STEP_NAMES === 0) yield;
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

/** Sets the digest of a definition that equals another. */
export function keepDigest(definition: object, digest: string): void {
  digests.set(definition, digest);
}
