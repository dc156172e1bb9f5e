// Notices that another process has committed to the file: SQLite counts that for each connection.

import type { StoreLog } from "../store-log.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";

const INTERVAL_MS = 250;

/** Has a connection of its own, so that it never waits for what this process writes. Does not keep a process alive. */
export function watchFile(path: string, look: () => void, log: StoreLog): () => Promise<void> {
  let db: LibsqlDatabase | undefined;
  let statement: LibsqlStatement | undefined;
  let seen: string | undefined;
  let isTold = false;
  let polling: Promise<void> | undefined;

  const poll = async (): Promise<void> => {
    try {
      db ??= openLibsql(path, "ro");
      statement ??= await db.prepare("PRAGMA data_version");
      const version = JSON.stringify(await statement.all([]));
      if (version !== seen) look();
      seen = version;
      isTold = false;
    } catch (error) {
      if (!isTold) log("warn", "the store's file cannot be watched now", { error: String(error) });
      isTold = true;
    }
  };
  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
  }, INTERVAL_MS).unref();

  return async () => {
    clearInterval(timer);
    await polling;
    db?.close();
  };
}
