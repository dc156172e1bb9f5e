// Opens the store that the config names: a file, or a PostgreSQL database. Engines are loaded only when they are used.

import { hostname } from "node:os";
import { escapeText, OnymError } from "@onym/core";
import { createStore } from "./create-store.js";
import type { Store } from "./store.js";
import { type StoreLog, silentStoreLog } from "./store-log.js";

export interface OpenStoreOptions {
  /** A path, `:memory:`, or `postgres://…`. */
  readonly location: string;
  /** What a path is relative to. */
  readonly folder: string;
  /** Names this replica in its audit chain; the host's name by default. */
  readonly replica?: string | undefined;
  readonly log?: StoreLog | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * Opens the store, and creates or migrates it where that is due.
 *
 * @throws OnymError `store-corrupt` or `store-newer` for what must not be touched (and was not), `store-unavailable`,
 *   `store-location`.
 *
 * @example
 * const store = await openStore({ location: "onym.db", folder: process.cwd() });
 */
export async function openStore({
  location,
  folder,
  replica = hostname(),
  log = silentStoreLog,
  now = Date.now,
}: OpenStoreOptions): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(location)) {
    const { openPostgres } = await import("./postgres/open-postgres.js");
    return createStore({ engine: await openPostgres(location, log), replica, log, now });
  }
  if (location === "" || /^[a-z][a-z0-9+.-]+:/i.test(location)) {
    throw new OnymError(
      "store-location",
      `"${escapeText(location.replace(/:.*/s, "://…"))}" is no place for a store.`,
      'Name a file, such as "onym.db", or a database: "postgres://user@host/database".',
    );
  }
  const { openSqlite } = await import("./sqlite/open-sqlite.js");
  return createStore({ engine: await openSqlite({ location, folder, log, now }), replica, log, now });
}
