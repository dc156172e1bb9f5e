// A whole copy of the file, as of one moment, while gateways go on using it.

import { chmodSync, closeSync, openSync, rmSync } from "node:fs";
import { escapeText } from "@onym/core";
import { storeUnavailable, toStoreError } from "../store-errors.js";
import { checkFile, statFile } from "./check-file.js";
import { openLibsql } from "./libsql.js";

/** Never over what is there; readable by its owner alone. What is left of a copy that failed is removed. */
export async function backUp(path: string, to: string, place: string): Promise<void> {
  try {
    closeSync(openSync(to, "wx", 0o600));
    chmodSync(to, 0o600);
  } catch (error) {
    throw toStoreError(escapeText(to), error);
  }
  try {
    const db = openLibsql(path, "ro", 5_000);
    try {
      await db.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
    } finally {
      db.close();
    }
    const stats = statFile(to, place);
    if (stats === undefined) throw storeUnavailable(place, "its copy is gone");
    await checkFile(to, stats, escapeText(to));
    // Last: who only reads a file with a log leaves one beside it.
    const copy = openLibsql(to, "rw");
    try {
      await copy.exec("PRAGMA journal_mode = WAL");
    } finally {
      copy.close();
    }
  } catch (error) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${to}${suffix}`, { force: true });
    throw toStoreError(place, error);
  }
}
