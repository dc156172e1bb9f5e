// Whether a file is a store of ours and sound, before and while it is used; found out without changing a byte of it.
//
// The file is only looked at through SQLite: were it opened and closed by any other means, the operating system would
// drop the locks that this process holds on it.

import { type BigIntStats, statSync } from "node:fs";
import { quoteText } from "@onym/core";
import type { Log } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { isBusy, storeCorrupt, storeUnavailable, toStoreError } from "../store-errors.js";
import { type LibsqlDatabase, openLibsql, readPragma } from "./libsql.js";

/** "Onym" as a number, in the header of every store. */
export const APPLICATION_ID = 0x4f6e796d;

const MAX_ATTEMPTS = 200;
const RETRY_DELAY_MS = 25;

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
      if (!isBusy(error) || tries === MAX_ATTEMPTS) throw toStoreError(place, error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
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
    await checkSchemaObjects(db, place);
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

/**
 * A store consists of tables and indexes. A trigger or a view of somebody else could undo what is written, or show something
 * else, and every statement would succeed all the same. So could a table that resolves conflicts by itself. SQLite refuses a
 * definition that is not of the type beside it. Tables of a later version are no concern.
 */
const FIND_FOREIGN_OBJECT =
  "select type, name from sqlite_master where type not in ('table', 'index') or sql like '%conflict%' limit 1";

/** @throws OnymError `store-corrupt`. */
export async function checkSchemaObjects(db: LibsqlDatabase, place: string): Promise<void> {
  const statement = await db.prepare(FIND_FOREIGN_OBJECT);
  const [found] = (await statement.all([])) as readonly { readonly type: string; readonly name: string }[];
  if (found === undefined) return;
  const { type, name } = found;
  const shown = quoteText(String(name));
  if (type !== "trigger" && type !== "view")
    throw storeCorrupt(place, `its ${shown} is not defined as Onym defines it`);
  throw storeCorrupt(
    place,
    `it has a ${type} that Onym did not make, ${shown}, which can undo or hide what is written; find out who added it, remove it (DROP ${type.toUpperCase()} in sqlite3) and check the decisions and the audit`,
  );
}

/** A log that is still to be written into the file can make it whole; SQLite itself takes half a page for a whole one. */
export function isLogged(path: string, place: string): boolean {
  return (statFile(`${path}-wal`, place)?.size ?? 0n) > 0n;
}

function explainForeign(error: unknown, place: string): unknown {
  const isForeign = error instanceof Error && "code" in error && error.code === "SQLITE_NOTADB";
  return isForeign ? storeCorrupt(place, "it is not a SQLite file", error) : error;
}

// Looks through the file while it is in use, table by table and away from the main thread: damage is noticed within the hour,
// and not when the gateway is next started.

export interface OnlineCheck {
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OnlineCheckOptions {
  readonly path: string;
  readonly place: string;
  readonly log: Log;
  /** Called once: nothing may be recorded there any more, until the store is opened again. */
  readonly onDamage: (damage: OnymError) => void;
}

const EVERY_MS = 60 * 60_000;

/** Does not keep a process alive. */
export function checkOnline({ path, place, log, onDamage }: OnlineCheckOptions): OnlineCheck {
  let isDamaged = false;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;
  const lookThrough = async (): Promise<void> => {
    // A connection of its own each time: another one would go by what it has in memory.
    const db = openLibsql(path, "ro", 1_000);
    try {
      await checkSchemaObjects(db, place);
      const tables = await db.prepare("select name from sqlite_master where type = 'table'");
      for (const { name } of (await tables.all([])) as readonly { readonly name: string }[]) {
        if (isClosed) return;
        const [problem] = (await readPragma(db, `quick_check('${name}')`)).filter((line) => line !== "ok");
        if (problem !== undefined) throw storeCorrupt(place, `its contents are damaged (${String(problem)})`);
      }
    } finally {
      db.close();
    }
  };
  const look = async (): Promise<void> => {
    if (isDamaged || isClosed) return;
    try {
      await lookThrough();
    } catch (error) {
      const damage = damageOf(error, place);
      if (damage === undefined) return;
      isDamaged = true;
      onDamage(damage);
      log("error", `${damage.message} Calls are refused from now on. ${damage.hint}`);
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY_MS).unref();
  return {
    look,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await looking;
    },
  };
}

/** A file that is busy or away is reported by those who use it. */
function damageOf(error: unknown, place: string): OnymError | undefined {
  const known = toStoreError(place, error);
  return known instanceof OnymError && known.code === "store-corrupt" ? known : undefined;
}
