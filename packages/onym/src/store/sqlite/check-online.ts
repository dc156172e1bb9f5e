// Looks through the file while it is in use, table by table and away from the main thread: damage is noticed within the hour,
// and not when the gateway is next started.

import type { Log } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { storeCorrupt, toStoreError } from "../store-errors.js";
import { openLibsql, readPragma } from "./libsql.js";

export interface OnlineCheck {
  /** Why nothing may be recorded there any more; stays until the store is opened again. */
  readonly damage: () => OnymError | undefined;
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OnlineCheckOptions {
  readonly path: string;
  readonly place: string;
  readonly log: Log;
}

const EVERY_MS = 60 * 60_000;

/** Does not keep a process alive. */
export function checkOnline({ path, place, log }: OnlineCheckOptions): OnlineCheck {
  let damage: OnymError | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;
  const lookThrough = async (): Promise<void> => {
    // A connection of its own each time: another one would go by what it has in memory.
    const db = openLibsql(path, "ro", 1_000);
    try {
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
    if (damage !== undefined || isClosed) return;
    try {
      await lookThrough();
    } catch (error) {
      damage = damageOf(error, place);
      if (damage !== undefined)
        log("error", `${damage.message} Calls are refused from now on. ${damage.hint}`);
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY_MS).unref();
  return {
    damage: () => damage,
    look,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await looking;
    },
  };
}

/** A file that is busy or away is told of by those who use it. */
function damageOf(error: unknown, place: string): OnymError | undefined {
  const known = toStoreError(place, error);
  return known instanceof OnymError && known.code === "store-corrupt" ? known : undefined;
}
