// The reply when the store fails: the call was not made, and roughly why. The store's location stays in the
// log.

import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import { OnymError, type OnymErrorCode } from "../../model/onym-error.js";
import { describeError } from "../describe-error.js";
import { RPC_CODES } from "../failure-codes.js";

const REASONS: ReadonlyMap<OnymErrorCode, string> = new Map([
  ["store-unavailable", "the gateway's store cannot be used now"],
  ["store-corrupt", "the gateway's store is damaged"],
  ["audit-unavailable", "too many records wait to be written"],
]);

/** For transient failures: a lock, a full queue, a database restart. Corruption is not transient. */
const RETRY_MS = 1_000;
const PASSING: ReadonlySet<OnymErrorCode> = new Set(["store-unavailable", "audit-unavailable"]);

export function storeFailure(told: string, error: unknown): Reply {
  const code = error instanceof OnymError ? error.code : "internal";
  const reason = REASONS.get(code);
  const text = reason === undefined ? told : `${told}: ${reason}`;
  const data = reason && { reason: code, ...(PASSING.has(code) && { retryAfterMs: RETRY_MS }) };
  return errorReply(RPC_CODES[code], `${text}. See the gateway's log.`, data);
}

// Logs when the store begins to fail and when it recovers, with the number of failures. One line per refused
// call would flood the log.

interface FailureLog {
  readonly failed: (what: string, error: unknown, facts?: Parameters<Log>[2]) => void;
  readonly worked: () => void;
}

/** Repeats the message this often while the failure lasts. */
const AGAIN_MS = 60_000;

export function createFailureLog(log: Log, now: () => number): FailureLog {
  let failing: { readonly since: number; readonly toldAt: number; readonly failures: number } | undefined;
  return {
    failed(what, error, facts) {
      const at = now();
      const failures = (failing?.failures ?? 0) + 1;
      const isTold = failing !== undefined && at < failing.toldAt + AGAIN_MS;
      failing = { since: failing?.since ?? at, toldAt: isTold ? (failing?.toldAt ?? at) : at, failures };
      if (isTold) return;
      log("error", `${what}: ${reasonOf(error)}`, failures === 1 ? facts : { ...facts, failures });
    },
    worked() {
      if (failing === undefined) return;
      const { since, failures } = failing;
      failing = undefined;
      log("warn", "the store works again", { failures, seconds: Math.round((now() - since) / 1000) });
    },
  };
}

/** A stack trace helps only where the error is a bug. */
function reasonOf(error: unknown): string {
  return error instanceof OnymError ? `${error.message} ${error.hint}` : describeError(error);
}
