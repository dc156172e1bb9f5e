// Whether a store holds every change that was acknowledged. SQLite takes a log (`-wal`) that it cannot read for one that ends
// there, and goes on without the rest: an approval that was revoked would come back, and nobody would notice. So the revision of
// the last change is also kept in a file of our own, `onym.db-revision` (decision 0170).

import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { escapeText } from "@onym/core";
import { storeCorrupt } from "../store-errors.js";
import { statFile } from "./check-file.js";

/** A process that ends removes the index and then the log, so one look may fall between the two. */
const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 25;

/**
 * Call after the commit. The file may only ever lag behind: it does not wait for the disk, and of two processes the slower one
 * may write last. What cannot be written here is no reason to fail a change that was made.
 */
export function saveRevision(path: string, revision: number): void {
  try {
    // Written over, not cut off first: some file systems bring a file that is cut off to the disk at once.
    const file = openSync(fileOf(path), constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeSync(file, `${revision}\n`);
    } finally {
      closeSync(file);
    }
  } catch {
    // A full disk, or a folder that may only be read.
  }
}

/** `undefined` where nothing was saved, or nothing that can be read. Load it before the store's own revision is read. */
export function loadRevision(path: string): number | undefined {
  try {
    const [line = ""] = readFileSync(fileOf(path), "utf8").split("\n", 1);
    return /^\d{1,15}$/.test(line) ? Number(line) : undefined;
  } catch {
    return undefined;
  }
}

/** For a new store in the place of an earlier one. */
export function forgetRevision(path: string): void {
  rmSync(fileOf(path), { force: true });
}

/** @throws OnymError `store-corrupt`. */
export function checkRevision(path: string, place: string, revisions: { saved: number; held: number }): void {
  const { saved, held } = revisions;
  if (held >= saved) return;
  const file = escapeText(basename(fileOf(path)));
  throw storeCorrupt(
    place,
    `it has lost changes, perhaps with a damaged log: it is at revision ${held}, and ${file} says ${saved}; if you have put back a backup, remove ${file}`,
  );
}

/** Audit records may be in the log alone, so it is missed by its index, too. @throws OnymError `store-corrupt`. */
export async function checkLog(path: string, place: string): Promise<void> {
  const [log, index] = [`${path}-wal`, `${path}-shm`];
  for (let attempt = 1; statFile(index, place) !== undefined; attempt += 1) {
    if (statFile(log, place) !== undefined) return;
    if (attempt === MAX_ATTEMPTS)
      throw storeCorrupt(
        place,
        `its log ${escapeText(basename(log))} is missing, with what was last written; if you have put back a whole store, remove ${escapeText(basename(index))}`,
      );
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}

function fileOf(path: string): string {
  return `${path}-revision`;
}
