// What a caller hears when the store fails: that the call was not made, and roughly why. Where the store is stays in the
// log.

import { OnymError } from "@onym/core";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["store-unavailable", "the gateway's store cannot be used now"],
  ["store-corrupt", "the gateway's store is damaged"],
  ["audit-unavailable", "too many records wait to be written"],
]);

/** What passes by itself: a lock, a full queue, a database that restarts. Damage does not. */
const RETRY_MS = 1_000;
const PASSING: ReadonlySet<string> = new Set(["store-unavailable", "audit-unavailable"]);

export function storeFailure(told: string, error: unknown): Reply {
  const code = error instanceof OnymError ? error.code : "";
  const reason = REASONS.get(code);
  const text = reason === undefined ? told : `${told}: ${reason}`;
  const data = reason && { reason: code, ...(PASSING.has(code) && { retryAfterMs: RETRY_MS }) };
  return errorReply(CODES.internal, `${text}. See the gateway's log.`, data);
}
