// Makes a new store file: whole under another name first, then put in its place in one step. So a store that is empty or
// half made was never ours, and of two processes that start at once one makes the file and the other finds it.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../model/onym-error.js";
import { toStoreError } from "../store-errors.js";

/** `build` gets the path of the draft and leaves a whole store there, closed; whether it is on the disk is not its concern. */
export async function createFile(
  path: string,
  place: string,
  build: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    makePrivate(draft);
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

/** Only its owner may read a store (SAFE-7), whatever the umask is; SQLite makes the files beside it alike. */
function makePrivate(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
  chmodSync(path, 0o600);
}

/** Takes from everybody else what an older version let them read; what a group was given is left as it is. */
export function keepPrivate(path: string): void {
  if (process.platform === "win32") return;
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o007) !== 0) chmodSync(file, 0o600);
    } catch {
      // It does not exist, or belongs to another user, who decides.
    }
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
