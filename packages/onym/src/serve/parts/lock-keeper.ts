// The lock file of a running gateway. Names are on disk before a client sees them.

import { hash } from "node:crypto";
import { EMPTY_LOCK, formatLock, type Lock, type LockedName } from "@onym/core";
import { formatLockSteps } from "@onym/core/naming";
import { loadLockText, readLock, showFile, writeLock } from "../../cli/names/lock/lock-file.js";
import type { LockKeeper } from "../../gateway/catalog/name-lock.js";
import type { Log } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { runInSlices } from "../../model/run-slices.js";

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
  let isTold = false;
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
      isTold = false;
    } catch (error) {
      if (isTold) return;
      isTold = true;
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
          [digest, written, lock, isTold] = [now, next, next, false];
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
