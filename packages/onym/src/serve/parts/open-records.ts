// What a gateway decides by and writes to: the guards with their store, and the recorded names. All of it, or
// nothing.

import { createHash, hash } from "node:crypto";
import { resolve } from "node:path";
import { EMPTY_LOCK, formatLock, type Lock, type LockedName } from "@onym/core";
import { formatLockSteps } from "@onym/core/naming";
import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import {
  loadLock,
  loadLockText,
  lockDraftSteps,
  lockFileOf,
  lockStateOf,
  readLock,
  writeLock,
} from "../../configured/lock-file.js";
import { type Guard, OPEN_GUARD } from "../../gateway/calls/guard.js";
import { createStoreKeeper } from "../../gateway/catalog/create-store-keeper.js";
import { createMemoryKeeper, type LockKeeper, type NameKeeper } from "../../gateway/catalog/name-lock.js";
import { encodeSteps } from "../../model/encode-text.js";
import type { Log } from "../../model/log.js";
import { OnymError, type OnymErrorCode } from "../../model/onym-error.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import { showPath } from "../../model/show-path.js";
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
  /** The file as this process last read or wrote it: another writer changes that, so its text need not be read. */
  let left = lockStateOf(file);
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
        file: showPath(file),
      });
    }
  };
  /** Whether nobody else wrote the file; otherwise `keep` has to merge. */
  const isOwn = (): boolean => {
    const state = lockStateOf(file);
    if (state === undefined || state === left) return true;
    const text = loadLockText(file);
    return text === undefined || digestOf(text) === digest;
  };
  return {
    current: () => lock,
    keep,
    async keepInSlices(before, next) {
      const bytes = await runInSlices(encodeSteps(await runInSlices(formatLockSteps(next))));
      const now = await runInSlices(digestSteps(bytes));
      try {
        const draft = await runInSlices(lockDraftSteps(file, bytes));
        if (lock !== before || !isOwn()) {
          draft.drop();
          if (lock !== before) return false;
          keep(next);
        } else {
          draft.commit();
          [digest, left, written, lock, hasLogged] = [now, draft.state, next, next, false];
        }
      } catch {
        if (lock !== before) return false;
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

const STEP_BYTES = 1024 * 1024;

function* digestSteps(bytes: Uint8Array): Steps<string> {
  const hashing = createHash("sha256");
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    hashing.update(bytes.subarray(at, at + STEP_BYTES));
    yield;
  }
  return hashing.digest("hex");
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
