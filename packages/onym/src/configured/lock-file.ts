// The lock on disk: read whole or not at all, written whole or not at all (LOCK-1).

import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Lock, parseLock } from "@onym/core";
import type { Config } from "../config/config.js";
import { readTextFile } from "../config/files/read-text-file.js";
import { OnymError } from "../model/onym-error.js";
import type { Steps } from "../model/run-slices.js";
import { showPath } from "../model/show-path.js";

const LOCK_FILE = "onym.lock";

/** Beside the config. */
export function lockFileOf(config: Config): string {
  return join(config.folder, LOCK_FILE);
}

/**
 * The lock in a file; `undefined` where there is no such file.
 *
 * @throws OnymError `lock-corrupt`, `lock-newer` or `lock-unreadable`. Such a file is never overwritten.
 */
export function loadLock(file: string): Lock | undefined {
  const text = loadLockText(file);
  return text === undefined ? undefined : readLock(text, file);
}

export function loadLockText(file: string): string | undefined {
  const read = readTextFile(file);
  if ("text" in read) return read.text.replaceAll("\r\n", "\n");
  if (read.isMissing) return undefined;
  throw new OnymError(
    "lock-unreadable",
    `${showPath(file)} cannot be read: ${read.reason}.`,
    "Make it readable, or restore it from version control; it was left as it is.",
  );
}

export function readLock(text: string, file: string): Lock {
  const parsed = parseLock(text);
  if (parsed.ok) return parsed.value;
  const { code, message, fix } = parsed.problem;
  const isConflict = code === "lock-corrupt" && /^(?:<{7}|={7}|>{7})/m.test(text);
  const way = isConflict ? "Take one side of the merge conflict, whole, and run onym lock." : fix;
  throw new OnymError(
    code === "lock-newer" ? code : "lock-corrupt",
    `${showPath(file)}: ${message}`,
    `${way} It was left as it is.`,
  );
}

/** Writes a file beside the lock and renames it, so that a reader sees the old lock or the new one. */
export function writeLock(file: string, text: string): void {
  const draft = draftOf(file);
  try {
    writeFileSync(draft, text, { flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "lock-unwritable",
      `${showPath(file)} cannot be written (${code}).`,
      "Check that the folder exists and may be written to; the lock was left as it is.",
      { cause: error },
    );
  }
}

function draftOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID().slice(0, 8)}.tmp`);
}

/** A lock that is written beside the file, and not yet in its place. */
export interface LockDraft {
  /** `lockStateOf` the file once it is in its place. */
  readonly state: string | undefined;
  readonly commit: () => void;
  readonly drop: () => void;
}

const STEP_BYTES = 256 * 1024;

/** For a large lock: writes the draft in steps. */
export function* lockDraftSteps(file: string, bytes: Uint8Array): Steps<LockDraft> {
  const draft = draftOf(file);
  const drop = (): void => rmSync(draft, { force: true });
  try {
    const target = openSync(draft, "wx");
    try {
      for (let at = 0; at < bytes.length; yield)
        at += writeSync(target, bytes, at, Math.min(STEP_BYTES, bytes.length - at));
    } finally {
      closeSync(target);
    }
  } catch (error) {
    drop();
    throw error;
  }
  const commit = (): void => {
    try {
      renameSync(draft, file);
    } catch (error) {
      drop();
      throw error;
    }
  };
  return { state: lockStateOf(draft), commit, drop };
}

/** Changes whenever somebody writes the file; `undefined` if there is none. */
export function lockStateOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : [found.ino, found.size, found.mtimeNs].join(" ");
}
