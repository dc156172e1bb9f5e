// What a gateway decides by and writes to: the guards with their store, and the recorded names. All of it, or
// nothing.

import { hash } from "node:crypto";
import { resolve } from "node:path";
import { EMPTY_LOCK, formatLock, type Lock, type LockedName } from "@onym/core";
import { formatLockSteps } from "@onym/core/naming";
import {
  loadLock,
  loadLockText,
  lockFileOf,
  readLock,
  showFile,
  writeLock,
} from "../../cli/names/lock/lock-file.js";
import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { type Guard, OPEN_GUARD } from "../../gateway/calls/guard.js";
import { createStoreKeeper } from "../../gateway/catalog/create-store-keeper.js";
import { createMemoryKeeper, type LockKeeper, type NameKeeper } from "../../gateway/catalog/name-lock.js";
import type { Log } from "../../model/log.js";
import { OnymError, type OnymErrorCode } from "../../model/onym-error.js";
import { runInSlices } from "../../model/run-slices.js";
import type { Store } from "../../store/store.js";
import { type GuardSource, NO_GUARD, openGuards } from "./open-guard.js";

export interface Records {
  readonly guards: GuardSource;
  readonly guard: Guard;
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** Why nothing may be shown or run. */
  readonly denial: OnymError | undefined;
}

/** Decides, records and keeps nothing: for the demo, and when everything is refused. */
export function withoutRecords(denial?: OnymError): Records {
  return {
    guards: NO_GUARD,
    guard: OPEN_GUARD,
    locks: { tools: createMemoryKeeper(EMPTY_LOCK), prompts: createMemoryKeeper(EMPTY_LOCK) },
    denial,
  };
}

/** @throws OnymError for an unusable store; with `deniesWithout`, everything is refused instead. The store stays unchanged. */
export async function openRecords(
  config: Config,
  {
    deniesWithout,
    log,
    env,
  }: { readonly deniesWithout: boolean; readonly log: Log; readonly env: Environment },
): Promise<Records> {
  let guards = NO_GUARD;
  try {
    guards = await openGuards(config, log, env);
    const guard = await guards.guardFor(config);
    const locks = await openNames({ config, store: guards.store, log });
    return { guards, guard, locks, denial: undefined };
  } catch (error) {
    await guards.close();
    if (deniesWithout && error instanceof OnymError && UNUSABLE.has(error.code)) return withoutRecords(error);
    throw error;
  }
}

/** An invalid location is a config error, so it is not among them. */
const UNUSABLE: ReadonlySet<OnymErrorCode> = new Set(["store-corrupt", "store-newer", "store-unavailable"]);

// Where a gateway keeps its names: in files beside the config, or in a shared database.

const PROMPT_LOCK_FILE = "onym.prompts.lock";

/**
 * A database serves many machines, so names are kept there; an empty one starts with the names of the file
 * beside the config. On one machine the files are the record.
 * @throws OnymError if the names cannot be read.
 */
async function openNames({
  config,
  store,
  log,
}: {
  readonly config: Config;
  readonly store: Store | undefined;
  readonly log: Log;
}): Promise<{ readonly tools: NameKeeper; readonly prompts: NameKeeper }> {
  const files = { tools: lockFileOf(config), prompts: resolve(config.folder, PROMPT_LOCK_FILE) };
  if (store?.engine !== "postgres")
    return { tools: createFileKeeper(files.tools, log), prompts: createFileKeeper(files.prompts, log) };
  return {
    tools: await createStoreKeeper({ store, space: "tools", seed: loadLock(files.tools), log }),
    prompts: await createStoreKeeper({ store, space: "prompts", seed: loadLock(files.prompts), log }),
  };
}

// The lock file of a running gateway. Names are on disk before a client sees them.

/**
 * Reads the lock and keeps it. Another process may write the file in the meantime (`onym lock`): its
 * additions stay.
 * @throws OnymError if the lock cannot be read; it is never overwritten.
 */
export function createFileKeeper(file: string, log: Log): LockKeeper {
  const found = loadLockText(file);
  let lock = found === undefined ? EMPTY_LOCK : readLock(found, file);
  /** Digest of the text in force: the text itself may be megabytes. */
  let digest = found === undefined ? undefined : digestOf(found);
  /** The lock that produced that text, if it was written here. */
  let written: Lock | undefined;
  let hasLogged = false;
  const save = (next: Lock): void => {
    const onDisk = loadLockText(file);
    const isOurs = onDisk === undefined || digestOf(onDisk) === digest;
    const merged = isOurs ? next : mergeLocks(readLock(onDisk, file), next);
    const before =
      isOurs && onDisk !== undefined && written !== undefined ? { lock: written, text: onDisk } : undefined;
    const text = formatLock(merged, before);
    if (text !== onDisk) writeLock(file, text);
    digest = digestOf(text);
    written = merged;
    lock = merged;
  };
  const keep = (next: Lock): void => {
    lock = next;
    try {
      save(next);
      hasLogged = false;
    } catch (error) {
      if (hasLogged) return;
      hasLogged = true;
      const reason = error instanceof OnymError ? `${error.message} ${error.hint}` : String(error);
      log("error", `names cannot be recorded, and may move after a restart: ${reason}`, {
        file: showFile(file),
      });
    }
  };
  /** The text on disk if this process wrote it last; otherwise `keep` has to merge. */
  const ownText = (): { readonly text: string | undefined } | undefined => {
    const text = loadLockText(file);
    return text === undefined || digestOf(text) === digest ? { text } : undefined;
  };
  return {
    current: () => lock,
    keep,
    async keepInSlices(before, next) {
      const text = await runInSlices(formatLockSteps(next));
      const now = digestOf(text);
      await new Promise(setImmediate);
      if (lock !== before) return false;
      try {
        if (ownText() === undefined) keep(next);
        else {
          writeLock(file, text);
          [digest, written, lock, hasLogged] = [now, next, next, false];
        }
      } catch {
        // Repeat with `keep`, which reports the outcome.
        keep(next);
      }
      return true;
    },
  };
}

function digestOf(text: string): string {
  return hash("sha256", text);
}

/**
 * Merges the names of both. On conflict `ours` stay, because clients have seen them: another name of the same
 * tool becomes a former one.
 */
function mergeLocks(theirs: Lock, ours: Lock): Lock {
  const profiles = new Map(theirs.profiles);
  for (const [id, lock] of ours.profiles) {
    const named = new Set([...lock.names.values()].flatMap(({ key, retired }) => (retired ? [] : [key])));
    const names = new Map<string, LockedName>();
    for (const [name, entry] of profiles.get(id)?.names ?? [])
      names.set(name, named.has(entry.key) ? { key: entry.key, retired: "renamed" } : entry);
    for (const [name, entry] of lock.names) names.set(name, entry);
    profiles.set(id, { ...lock, names });
  }
  return { profiles, tools: new Map([...theirs.tools, ...ours.tools]) };
}
