// The connections to a database, for the shared queries: a connection that does not answer in time is given up, and with
// it what was not committed on it.

import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { formatDuration } from "../../model/clock.js";
import type { Log } from "../../model/log.js";
import { errorCode } from "../../model/onym-error.js";
import type { PostgresSettings } from "./postgres-settings.js";
import { reconnectMs, SilentServer, within } from "./silent-server.js";

const CONNECTIONS = 10;
/** Durable when a promise resolves; a server that promises even more (its standbys) keeps its own setting. */
const KEEP_COMMITS =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')";

export interface PoolOptions {
  readonly config: pg.ClientConfig;
  readonly settings: PostgresSettings;
  readonly log: Log;
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
    // With a query in flight the connection is dropped, and the server rolls back when it comes to itself.
    release: () => client.release(failure),
  };
}

/** Waits for a server that restarts; not for one that is silent. */
async function connectPatiently(pool: pg.Pool, connectMs: number): Promise<pg.PoolClient> {
  const deadline = performance.now() + 2 * connectMs;
  for (let failures = 1; ; failures += 1) {
    const startedAt = performance.now();
    const isQueued = pool.totalCount >= CONNECTIONS && pool.idleCount === 0;
    try {
      return await pool.connect();
    } catch (error) {
      const isTimeout = isDriverTimeout(error, performance.now() - startedAt, connectMs);
      if (isTimeout && !isQueued) throw new SilentServer(`no answer within ${formatDuration(connectMs)}`);
      // A wrong password or database does not get better by waiting.
      if (/^(28|3D)/.test(errorCode(error)) || pool.ending) throw error;
      if (performance.now() > deadline)
        throw isTimeout ? new SilentServer(`${CONNECTIONS} connections wait for answers`) : error;
    }
    await new Promise((resolve) => setTimeout(resolve, reconnectMs(failures, Math.random())));
  }
}

/** The driver's own timeouts have no code, unlike what the server and the network answer; they come after `connectMs`. */
function isDriverTimeout(error: unknown, elapsedMs: number, connectMs: number): boolean {
  // Timers may fire up to a few milliseconds early by this clock.
  return errorCode(error) === "" && elapsedMs >= connectMs - 5;
}
