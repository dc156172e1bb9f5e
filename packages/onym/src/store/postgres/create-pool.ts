// The connections to a database, for the shared queries: a connection that does not answer in time is given up, and with
// it what was not committed on it.

import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { errorCode } from "../store-errors.js";
import type { StoreLog } from "../store-log.js";
import type { PostgresSettings } from "./postgres-settings.js";
import { reconnectMs } from "./reconnect-ms.js";
import { SilentServer, within } from "./silent-server.js";

const CONNECTIONS = 10;
/** Durable when a promise resolves; a server that promises even more (its standbys) keeps its own setting. */
const KEEP_COMMITS =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')";

export interface PoolOptions {
  readonly config: pg.ClientConfig;
  readonly settings: PostgresSettings;
  readonly log: StoreLog;
}

export function createPool({ config, settings, log }: PoolOptions): PostgresPool {
  const { connectMs, answerMs } = settings;
  const pool = new pg.Pool({ ...config, max: CONNECTIONS });
  // Without listeners, a connection that falls, in use or not, would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => log("warn", "a connection to the store was lost", { code: errorCode(error) }));
  const prepared = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  const prepare = async (client: pg.PoolClient): Promise<PostgresPoolClient> => {
    const known = prepared.get(client);
    if (known !== undefined) return known;
    const bounded = boundClient(client, answerMs);
    try {
      await bounded.query(KEEP_COMMITS, []);
    } catch (error) {
      bounded.release();
      throw error;
    }
    prepared.set(client, bounded);
    return bounded;
  };
  return {
    connect: async () => prepare(await connectPatiently(pool, connectMs)),
    end: () => pool.end(),
  };
}

function boundClient(client: pg.PoolClient, answerMs: number): PostgresPoolClient {
  let failure: SilentServer | undefined;
  const query = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
    // What follows would wait behind what is not answered.
    if (failure !== undefined) throw failure;
    try {
      return await within(answerMs, client.query(text, [...values]));
    } catch (error) {
      if (error instanceof SilentServer) failure = error;
      throw error;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient["query"],
    // With a query under way the line is cut, and the server rolls back when it comes to itself.
    release: () => client.release(failure),
  };
}

/** Waits for a server that restarts; not for one that is silent. */
async function connectPatiently(pool: pg.Pool, connectMs: number): Promise<pg.PoolClient> {
  const deadline = performance.now() + 2 * connectMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      if (isSilence(error)) throw new SilentServer(`no answer within ${connectMs} ms`);
      // A wrong password or database does not get better by waiting.
      if (/^(28|3D)/.test(errorCode(error)) || pool.ending) throw error;
      if (performance.now() > deadline)
        throw isQueue(error) ? new SilentServer(`${CONNECTIONS} connections wait for answers`) : error;
    }
    await new Promise((resolve) => setTimeout(resolve, reconnectMs(failures, Math.random())));
  }
}

/** The driver has no codes for these. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && /^(timeout expired|.* due to connection timeout)$/.test(error.message);
}

function isQueue(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("timeout exceeded when trying to connect");
}
