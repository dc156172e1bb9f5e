// The engine for many machines: a PostgreSQL database that all replicas share.

import { Socket } from "node:net";
import { escapeText } from "@onym/core";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Log } from "../../model/log.js";
import type { Engine } from "../engine.js";
import type { Tables } from "../schema/tables.js";
import { storeUnavailable, toStoreError } from "../store-errors.js";
import { createPool } from "./create-pool.js";
import { CHANNEL, listenForChanges } from "./listen-for-changes.js";
import { readPostgresSettings } from "./postgres-settings.js";

/** Any number, the same in every version. */
const SCHEMA_LOCK = 0x4f6e796d;
const INT8 = 20;

export async function openPostgres(location: string, log: Log): Promise<Engine> {
  const settings = readPostgresSettings(location);
  const { place, connectionString, connectMs, answerMs } = settings;
  const sockets = createSockets();
  const config: pg.ClientConfig = {
    connectionString,
    application_name: "onym",
    connectionTimeoutMillis: connectMs,
    // What nobody waits for any more is not to hold up others.
    statement_timeout: answerMs,
    idle_in_transaction_session_timeout: answerMs,
    keepAlive: true,
    stream: sockets.open,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  };
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createPool({ config, settings, log }) }),
  });
  const close = async (): Promise<void> => {
    await db.destroy();
    await sockets.close(connectMs);
  };
  try {
    await checkServer(db, place);
  } catch (error) {
    await close();
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
    // The size of the relation would not fall by pruning.
    auditBytes: async (connection) => {
      const { rows } = await sql<{
        bytes: string | null;
      }>`select sum(octet_length(body)) as bytes from onym_audit`.execute(connection);
      return Number(rows[0]?.bytes ?? 0);
    },
    watchOthers: (look) => listenForChanges({ config, answerMs, look, log }),
    close,
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

// The lines to a database, so that none of them outlives the store: a server that is silent does not hang up either.

interface OpenSockets {
  readonly open: () => Socket;
  /** Waits until all are closed, and closes those that are still there after so long. */
  readonly close: (ms: number) => Promise<void>;
}

function createSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
    async close(ms) {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, ms);
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
      );
      clearTimeout(timer);
    },
  };
}
