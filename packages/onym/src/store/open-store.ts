// Opens the store that the config names: a file, or a PostgreSQL database. Engines are loaded only when they are used.

import { hostname } from "node:os";
import { resolve } from "node:path";
import { escapeText } from "@onym/core";
import { type AuditAnchor, createAuditAnchor, type StoreSeal } from "../audit/audit-anchor.js";
import { createSealer } from "../audit/audit-chain.js";
import { type Log, silentLog } from "../model/log.js";
import { OnymError } from "../model/onym-error.js";
import { createStore } from "./create-store.js";
import type { Engine } from "./engine.js";
import type { Store } from "./store.js";

export interface OpenStoreOptions {
  /** A path, `:memory:`, or `postgres://…`. */
  readonly location: string;
  /** What a path is relative to. */
  readonly folder: string;
  /** Names this replica in its audit chain; the host's name by default. */
  readonly replica?: string | undefined;
  readonly log?: Log | undefined;
  readonly now?: (() => number) | undefined;
  /** Without it, who can write to the store can change its records and decisions unnoticed. */
  readonly seal?: StoreSeal | undefined;
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
  log = silentLog,
  now = Date.now,
  seal,
}: OpenStoreOptions): Promise<Store> {
  const sealer = seal === undefined ? undefined : createSealer(seal.key);
  const build = (engine: Engine): Promise<Store> =>
    createStore({
      engine,
      replica,
      log,
      now,
      sealer,
      anchor: openAnchor(engine, { seal, location, folder, log }),
    });
  if (/^postgres(ql)?:\/\//.test(location)) {
    const { openPostgres } = await import("./postgres/open-postgres.js");
    return build(await openPostgres(location, log));
  }
  if (location === "" || /^[a-z][a-z0-9+.-]+:/i.test(location)) {
    throw new OnymError(
      "store-location",
      `"${escapeText(location.replace(/:.*/s, "://…"))}" is no place for a store.`,
      'Name a file, such as "onym.db", or a database: "postgres://user@host/database".',
    );
  }
  const { openSqlite } = await import("./sqlite/open-sqlite.js");
  return build(await openSqlite({ location, folder, log, now, sealer }));
}

/** The second place for the ends of chains, where there is one. */
export function openAnchor(
  engine: Engine,
  { seal, location, folder, log = silentLog }: Omit<OpenStoreOptions, "replica" | "now">,
): AuditAnchor | undefined {
  if (seal?.anchorFile === undefined) return undefined;
  const store = engine.kind === "sqlite" ? resolve(folder, location) : engine.place;
  return createAuditAnchor({ file: seal.anchorFile, store, sealer: createSealer(seal.key), log });
}
