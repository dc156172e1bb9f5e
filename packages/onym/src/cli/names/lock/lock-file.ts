// The lock on disk: read whole or not at all, written whole or not at all (LOCK-1).

import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { escapeText, type Lock, parseLock } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { OnymError } from "../../../model/onym-error.js";

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
    `${showFile(file)} cannot be read: ${read.reason}.`,
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
    `${showFile(file)}: ${message}`,
    `${way} It was left as it is.`,
  );
}

/** Writes a file beside the lock and renames it, so that a reader sees the old lock or the new one. */
export function writeLock(file: string, text: string): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    writeFileSync(draft, text, { flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "lock-unwritable",
      `${showFile(file)} cannot be written (${code}).`,
      "Check that the folder exists and may be written to; the lock was left as it is.",
      { cause: error },
    );
  }
}

/** The file as seen from here, where that is shorter. */
export function showFile(file: string, cwd = process.cwd()): string {
  const near = relative(cwd, file);
  return escapeText(near === "" || near.length > file.length ? file : near);
}
