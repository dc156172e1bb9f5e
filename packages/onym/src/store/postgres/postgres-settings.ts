// What the address of a database says: where it is, for messages, and how long it may take.

import { escapeText } from "@onym/core";
import { OnymError } from "../../model/onym-error.js";

export interface PostgresSettings {
  /** Host and database, never the password. */
  readonly place: string;
  /** For the driver; without what is ours to keep. */
  readonly connectionString: string;
  /** How long a connection may take. */
  readonly connectMs: number;
  /** How long a statement may take, and how long its answer is waited for. */
  readonly answerMs: number;
}

const CONNECT_MS = 3000;
const ANSWER_MS = 10_000;

/**
 * `connect_timeout` (seconds, as PostgreSQL's own programs read it) and `query_timeout` (ms) in the address set the limits.
 *
 * @throws OnymError `store-location`, without what was given: it may hold a password.
 */
export function readPostgresSettings(location: string): PostgresSettings {
  if (!URL.canParse(location)) {
    throw new OnymError(
      "store-location",
      "The address of the store's database cannot be read.",
      'Write it as "postgres://user:password@host/database", with special characters percent-encoded.',
    );
  }
  const url = new URL(location);
  const { searchParams } = url;
  const limits = {
    connectMs: readLimit(searchParams, "connect_timeout", 1000) ?? CONNECT_MS,
    answerMs: readLimit(searchParams, "query_timeout", 1) ?? ANSWER_MS,
  };
  const isOurs = searchParams.has("connect_timeout") || searchParams.has("query_timeout");
  searchParams.delete("connect_timeout");
  searchParams.delete("query_timeout");
  return {
    place: escapeText(`postgres://${url.host}${url.pathname}`),
    connectionString: isOurs ? url.href : location,
    ...limits,
  };
}

function readLimit(given: URLSearchParams, name: string, unitMs: number): number | undefined {
  const text = given.get(name);
  if (text === null) return undefined;
  const ms = Number(text) * unitMs;
  if (/^\d{1,9}$/.test(text) && ms > 0 && ms < 2 ** 31) return ms;
  throw new OnymError(
    "store-location",
    `${name} in the address of the store's database is no time.`,
    `Write it as a whole number of ${unitMs === 1 ? "milliseconds" : "seconds"}, or leave it out.`,
  );
}
