// The engine for many machines: a PostgreSQL database that all replicas share.

import { escapeText, OnymError } from "@onym/core";
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient, sql } from "kysely";
import pg from "pg";
import type { Engine } from "../engine.js";
import { errorCode, storeUnavailable, toStoreError } from "../store-errors.js";
import type { StoreLog } from "../store-log.js";
import type { Tables } from "../tables.js";
import { CHANNEL, listenForChanges } from "./listen-for-changes.js";
import { reconnectMs } from "./reconnect-ms.js";

const CONNECTIONS = 10;
const CONNECT_MS = 3000;
const STATEMENT_MS = 15_000;
/** How long a caller waits for a server that restarts. */
const PATIENCE_MS = 6000;
/** Any number, the same in every version. */
const SCHEMA_LOCK = 0x4f6e796d;
const INT8 = 20;
/** Durable when a promise resolves; a server that promises even more (its standbys) keeps its own setting. */
const KEEP_COMMITS =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')";

export async function openPostgres(location: string, log: StoreLog): Promise<Engine> {
  const place = placeOf(location);
  const config: pg.ClientConfig = {
    connectionString: location,
    application_name: "onym",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  };
  const pool = new pg.Pool({ ...config, max: CONNECTIONS });
  // Without listeners, a connection that falls, in use or not, would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => log("warn", "a connection to the store was lost", { code: errorCode(error) }));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: {
        connect: () => connectPatiently(pool),
        end: () => pool.end(),
      },
      onCreateConnection: async (connection) => {
        await connection.executeQuery(CompiledQuery.raw(KEEP_COMMITS));
      },
    }),
  });
  try {
    await checkServer(db, place);
  } catch (error) {
    await db.destroy();
    throw toStoreError(place, error);
  }
  return {
    kind: "postgres",
    place,
    db,
    listTables: async (connection) => {
      const { rows } = await sql<{
        name: string;
      }>`select tablename as name from pg_catalog.pg_tables where schemaname = current_schema() and left(tablename, 5) = 'onym_'`.execute(
        connection,
      );
      return new Set(rows.map(({ name }) => name));
    },
    lockSchema: async (tx) => {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(tx);
    },
    announce: async (tx, revision) => {
      await sql`select pg_notify(${CHANNEL}, ${String(revision)})`.execute(tx);
    },
    watchOthers: (look) => listenForChanges({ config, look, log }),
    close: () => db.destroy(),
  };
}

async function checkServer(db: Kysely<Tables>, place: string): Promise<void> {
  const { rows } = await sql<{
    encoding: string;
    schema: string | null;
  }>`select current_setting('server_encoding') as encoding, current_schema() as schema`.execute(db);
  const [found] = rows;
  if (found?.encoding !== "UTF8")
    throw storeUnavailable(place, `its encoding is ${escapeText(found?.encoding ?? "unknown")}, not UTF8`);
  if (found.schema === null) throw storeUnavailable(place, "no schema of its search path exists");
}

async function connectPatiently(pool: pg.Pool): Promise<PostgresPoolClient> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let failures = 1; ; failures += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      // A wrong password or database does not get better by waiting.
      if (/^(28|3D)/.test(errorCode(error)) || pool.ending || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, reconnectMs(failures, Math.random())));
  }
}

/** Host and database, never the password. */
function placeOf(location: string): string {
  try {
    const { host, pathname } = new URL(location);
    return escapeText(`postgres://${host}${pathname}`);
  } catch {
    throw new OnymError(
      "store-location",
      "The address of the store's database cannot be read.",
      'Write it as "postgres://user:password@host/database", with special characters percent-encoded.',
    );
  }
}
