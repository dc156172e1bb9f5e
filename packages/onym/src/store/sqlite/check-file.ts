// Whether a file is a store of ours and sound, found out without changing a byte of it.
//
// The file is only looked at through SQLite: were it opened and closed by any other means, the operating system would
// drop the locks that this process holds on it.

import { type BigIntStats, statSync } from "node:fs";
import { isBusy, storeCorrupt, storeUnavailable, toStoreError } from "../store-errors.js";
import { type LibsqlDatabase, openLibsql, readPragma } from "./libsql.js";

/** "Onym" as a number, in the header of every store. */
export const APPLICATION_ID = 0x4f6e796d;

const PATIENCE = 200;
const PAUSE_MS = 25;

/** `undefined` where there is nothing at the path. */
export function statFile(path: string, place: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw toStoreError(place, error);
  }
}

/** @throws OnymError `store-corrupt`, or `store-unavailable` where it cannot be looked at. */
export async function checkFile(path: string, stats: BigIntStats, place: string): Promise<void> {
  if (!stats.isFile()) throw storeCorrupt(place, "it is not a file");
  if (stats.size === 0n) throw storeCorrupt(place, "it is empty, as if it had been cut off");
  for (let tries = 1; ; tries += 1) {
    try {
      await inspect(path, stats, place);
      return;
    } catch (error) {
      if (!isBusy(error) || tries === PATIENCE) throw toStoreError(place, error);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function inspect(path: string, stats: BigIntStats, place: string): Promise<void> {
  let db: LibsqlDatabase;
  try {
    db = openLibsql(path, "ro");
  } catch (error) {
    throw storeUnavailable(place, "it may not be opened", error);
  }
  try {
    const [id] = await readPragma(db, "application_id");
    if (id !== APPLICATION_ID) throw storeCorrupt(place, "it belongs to another program");
    const [pageSize] = await readPragma(db, "page_size");
    if (stats.size % BigInt(Number(pageSize)) !== 0n && !isLogged(path, place))
      throw storeCorrupt(place, "its end is cut off");
    const problems = (await readPragma(db, "quick_check(1)")).filter((line) => line !== "ok");
    if (problems.length > 0) throw storeCorrupt(place, "its contents are damaged", problems[0]);
    if ((await readPragma(db, "foreign_key_check")).length > 0)
      throw storeCorrupt(place, "rows that others refer to are missing");
  } catch (error) {
    throw explainForeign(error, place);
  } finally {
    db.close();
  }
}

/** A log that is still to be written into the file can make it whole; SQLite itself takes half a page for a whole one. */
export function isLogged(path: string, place: string): boolean {
  return (statFile(`${path}-wal`, place)?.size ?? 0n) > 0n;
}

function explainForeign(error: unknown, place: string): unknown {
  const isForeign = error instanceof Error && "code" in error && error.code === "SQLITE_NOTADB";
  return isForeign ? storeCorrupt(place, "it is not a SQLite file", error) : error;
}
