// The embedded engine: one SQLite file that several processes use at once (WAL). Durable at every commit, save for the
// audit, whose records reach the disk soon after.

import { chmodSync, closeSync, openSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { escapeText } from "@onym/core";
import { Kysely, sql } from "kysely";
import type { Sealer } from "../../audit/audit-chain.js";
import type { Log } from "../../model/log.js";
import type { Engine } from "../engine.js";
import { checkSchema, findMissing, migrateStore } from "../schema/migrate.js";
import type { Migration } from "../schema/migrations.js";
import type { Tables } from "../schema/tables.js";
import { createStoreSession } from "../session.js";
import { storeCorrupt, storeUnavailable, toStoreError } from "../store-errors.js";
import {
  createAuditConnection,
  createSameCheck,
  createWriteQueue,
  keepLog,
  type WriteQueue,
  watchRoom,
} from "./audit-connection.js";
import { checkLog, checkRevision, forgetRevision, loadRevision, saveRevision } from "./check-changes.js";
import { APPLICATION_ID, checkFile, checkOnline, isLogged, statFile } from "./check-file.js";
import { createFile, keepPrivate } from "./create-file.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";
import { createLibsqlDialect } from "./libsql-dialect.js";

export interface OpenSqliteOptions {
  readonly location: string;
  readonly folder: string;
  readonly log: Log;
  readonly now: () => number;
  readonly migrations?: readonly Migration[];
  readonly sealer?: Sealer | undefined;
}

export async function openSqlite(options: OpenSqliteOptions): Promise<Engine> {
  const { location, folder, log, now, migrations, sealer } = options;
  if (location === ":memory:")
    return createEngine(":memory:", { path: ":memory:", mode: "rwc", checkWritable: () => {}, log });
  const path = resolve(folder, location);
  const place = escapeText(location);
  // In this order: the log of a new file is made after it.
  const hasLog = isLogged(path, place);
  if (statFile(path, place) === undefined) {
    if (hasLog)
      throw storeCorrupt(place, `it is gone, and its log ${escapeText(basename(path))}-wal is still there`);
    forgetRevision(path);
    await createFile(path, place, (draft) => buildFile(draft, { place, log, now, migrations }));
  }
  const stats = statFile(path, place);
  if (stats === undefined) throw storeUnavailable(place, "it was removed");
  await checkLog(path, place);
  const saved = loadRevision(path);
  await checkFile(path, stats, place);
  keepPrivate(path);
  await checkTables(path, { place, log, migrations, saved });
  const checkWritable = createSameCheck(path, stats, place);
  const turns = createWriteQueue();
  const engine = createEngine(place, { path, mode: "rw", checkWritable, turns, log });
  return withAuditConnection(engine, { path, checkWritable, turns, log, sealer });
}

interface EngineOptions {
  readonly path: string;
  readonly mode: "rw" | "ro" | "rwc";
  readonly checkWritable: () => void;
  /** Shared by all connections of this process that write to the file. */
  readonly turns?: WriteQueue;
  readonly log: Log;
  /** Nobody uses the file yet: it is brought to the disk as a whole, later. */
  readonly isDraft?: boolean;
}

function createEngine(place: string, options: EngineOptions): Engine {
  const { path, mode, checkWritable, turns = createWriteQueue(), log, isDraft = false } = options;
  const open = async (): Promise<LibsqlDatabase> => {
    const connection = openLibsql(path, mode);
    try {
      await connection.exec(`PRAGMA synchronous = ${isDraft ? "OFF" : "FULL"}; PRAGMA foreign_keys = ON;`);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  const db = new Kysely<Tables>({ dialect: createLibsqlDialect({ open, place, checkWritable, turns }) });
  return {
    kind: "sqlite",
    place,
    db,
    listTables: async (connection) => {
      const { rows } = await sql<{
        name: string;
      }>`select name from sqlite_master where type = 'table' and substr(name, 1, 5) = 'onym_'`.execute(
        connection,
      );
      return new Set(rows.map(({ name }) => name));
    },
    auditBytes: async (connection) => {
      const { rows } = await sql<{ bytes: number }>`select
        (select page_count from pragma_page_count) * 1.0 * (select page_size from pragma_page_size)
        - (select freelist_count from pragma_freelist_count) * (select page_size from pragma_page_size) as bytes`.execute(
        connection,
      );
      return rows[0]?.bytes ?? 0;
    },
    // To write at all, a transaction holds the file's one write lock.
    lockSchema: async () => {},
    announce: async () => {},
    watchOthers: (look) => (path === ":memory:" ? async () => {} : watchFile(path, look, log)),
    close: () => db.destroy(),
  };
}

function withAuditConnection(
  engine: Engine,
  {
    path,
    checkWritable,
    turns,
    log,
    sealer,
  }: Required<Omit<EngineOptions, "mode" | "isDraft">> & Pick<OpenSqliteOptions, "sealer">,
): Engine {
  const keeper = keepLog({ path, turns, log });
  const room = watchRoom({ path, place: engine.place });
  const check = checkOnline({ path, place: engine.place, log, onDamage: room.end });
  const audit = createAuditConnection({ path, place: engine.place, checkWritable, turns, keeper, sealer });
  return {
    ...engine,
    onCommitted: (revision) => saveRevision(path, revision),
    appendAudit: audit.append,
    room: room.problem,
    backup: (to) => backUp(path, to, engine.place),
    async close() {
      await check.close();
      await audit.close();
      await keeper.close();
      await engine.close();
    },
  };
}

/** Leaves one file, without a log beside it. */
async function buildFile(
  draft: string,
  {
    place,
    log,
    now,
    migrations,
  }: Pick<OpenSqliteOptions, "log" | "now"> & {
    readonly place: string;
    readonly migrations: readonly Migration[] | undefined;
  },
): Promise<void> {
  const engine = createEngine(place, {
    path: draft,
    mode: "rwc",
    checkWritable: () => {},
    log,
    isDraft: true,
  });
  try {
    const session = createStoreSession(engine, () => {});
    await migrateStore({ engine, session, now, ...(migrations !== undefined && { migrations }) });
  } finally {
    await engine.close();
  }
  const connection = openLibsql(draft, "rw");
  try {
    await connection.exec(
      `PRAGMA synchronous = OFF; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA journal_mode = WAL;`,
    );
  } finally {
    connection.close();
  }
}

/** Before anything may write: is it complete, and is it of a version that this program knows? */
async function checkTables(
  path: string,
  {
    place,
    log,
    migrations,
    saved = 0,
  }: Pick<OpenSqliteOptions, "log"> & {
    readonly place: string;
    readonly migrations: readonly Migration[] | undefined;
    readonly saved: number | undefined;
  },
): Promise<void> {
  const engine = createEngine(place, { path, mode: "ro", checkWritable: () => {}, log });
  const session = createStoreSession(engine, () => {});
  try {
    await session.read(async (db) => {
      if (!(await engine.listTables(db)).has("onym_migrations"))
        throw storeCorrupt(place, "the record of its schema is missing");
      const missing = await findMissing(engine, db, migrations);
      if (missing.length === 0) await checkSchema(engine, db);
      const state = await db.selectFrom("onym_state").select("revision").executeTakeFirst();
      checkRevision(path, place, { saved, held: state?.revision ?? 0 });
    });
  } catch (error) {
    throw toStoreError(place, error);
  } finally {
    await engine.close();
  }
}

// A whole copy of the file, as of one moment, while gateways go on using it.

/** Never over what is there; readable by its owner alone. What is left of a copy that failed is removed. */
async function backUp(path: string, to: string, place: string): Promise<void> {
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

// Notices that another process has committed to the file: SQLite counts that for each connection.

const INTERVAL_MS = 250;

/** Has a connection of its own, so that it never waits for what this process writes. Does not keep a process alive. */
function watchFile(path: string, look: () => void, log: Log): () => Promise<void> {
  let db: LibsqlDatabase | undefined;
  let statement: LibsqlStatement | undefined;
  let seen: string | undefined;
  let hasLogged = false;
  let polling: Promise<void> | undefined;

  const poll = async (): Promise<void> => {
    try {
      db ??= openLibsql(path, "ro");
      statement ??= await db.prepare("PRAGMA data_version");
      const version = JSON.stringify(await statement.all([]));
      if (version !== seen) look();
      seen = version;
      hasLogged = false;
    } catch (error) {
      if (!hasLogged) log("warn", "the store's file cannot be watched now", { error: String(error) });
      hasLogged = true;
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
