// Brings what was committed without waiting for the disk to the disk, soon after and away from the main thread; and from
// the log into the file, so that the log stays short.

import { open } from "node:fs/promises";
import type { Log } from "../../model/log.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";
import type { WriteQueue } from "./write-queue.js";

export interface LogKeeper {
  /** Something was committed. */
  readonly due: () => void;
  /** Resolves when all that was committed is on the disk. */
  readonly close: () => Promise<void>;
}

const SOON_MS = 100;
/** Pages. While others go on writing, the log only ever begins anew when they are made to wait for it. */
const LONG_LOG = 4_000;

export interface KeepLogOptions {
  readonly path: string;
  readonly turns: WriteQueue;
  readonly log: Log;
}

/** Does not keep a process alive. */
export function keepLog({ path, turns, log }: KeepLogOptions): LogKeeper {
  let db: LibsqlDatabase | undefined;
  let timer: NodeJS.Timeout | undefined;
  let keeping: Promise<void> = Promise.resolve();
  let isTold = false;

  const keep = async (): Promise<void> => {
    try {
      await flush(`${path}-wal`);
      db ??= openLibsql(path, "rw");
      if ((await checkpoint(db, "PASSIVE")) > LONG_LOG) await restart(db);
      isTold = false;
    } catch (error) {
      if (!isTold) log("error", "the last audit records are not on the disk yet", { error: String(error) });
      isTold = true;
      due();
    }
  };
  const restart = async (db: LibsqlDatabase): Promise<void> => {
    await turns.take();
    try {
      await checkpoint(db, "RESTART");
    } finally {
      turns.end();
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    keeping = keeping.then(keep);
  };
  const due = (): void => {
    timer ??= setTimeout(start, SOON_MS).unref();
  };
  return {
    due,
    async close() {
      if (timer !== undefined) start();
      await keeping;
      // What failed is not tried again.
      clearTimeout(timer);
      db?.close();
    },
  };
}

/** By other means than SQLite's: the log, unlike the file, carries no locks, and readers do not keep this from happening. */
async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** As far as readers allow it. Returns the length of the log in pages. */
async function checkpoint(db: LibsqlDatabase, mode: "PASSIVE" | "RESTART"): Promise<number> {
  const statement: LibsqlStatement = await db.prepare(`PRAGMA wal_checkpoint(${mode})`);
  const [row] = (await statement.all([])) as readonly { readonly log: number }[];
  return row?.log ?? 0;
}
