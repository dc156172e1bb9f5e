// Makes a new store file: whole under another name first, then put in its place in one step. So a store that is empty or
// half made was never ours, and of two processes that start at once one makes the file and the other finds it.

import { randomUUID } from "node:crypto";
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, toStoreError } from "../store-errors.js";

/** `build` gets the path of the draft and leaves a whole store there, closed; whether it is on the disk is not its concern. */
export async function createFile(
  path: string,
  place: string,
  build: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await build(draft);
    sync(draft, "r+");
    putInPlace(draft, path);
    if (process.platform !== "win32") sync(dirname(path), "r");
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw toStoreError(place, error);
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Never over what is there. */
function putInPlace(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw error;
    // A file system without hard links.
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

function sync(path: string, flags: "r" | "r+"): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
