// What can go wrong with a store, in words: unavailable, corrupt, newer. Whatever an engine throws becomes one of these.

import { escapeText } from "@onym/core";
import { errorCode, OnymError } from "../model/onym-error.js";

export function storeUnavailable(place: string, reason: string, cause?: unknown): OnymError {
  return new OnymError(
    "store-unavailable",
    `The store ${place} cannot be used: ${reason}.`,
    "Nothing was half done. Check that the disk has room and may be written to, or that the database server can be reached, and try again.",
    { cause },
  );
}

export function storeCorrupt(place: string, reason: string, cause?: unknown): OnymError {
  return new OnymError(
    "store-corrupt",
    `The store ${place} is refused: ${reason}.`,
    "It was left as it is. Restore it from a backup, or move it aside (a file with its -wal, -shm and -revision) to start with an empty one; that forgets its names, approvals and audit.",
    { cause },
  );
}

/**
 * A trigger or a rule in a database can discard what is written, and the statement succeeds all the same.
 *
 * @throws OnymError `store-corrupt` where another number of rows was written than `expected`.
 */
export function checkWritten(
  place: string,
  rows: bigint | undefined,
  { what, expected = 1 }: { readonly what: string; readonly expected?: number },
): void {
  if (rows !== BigInt(expected)) throw storeUnwritten(place, what);
}

export function storeUnwritten(place: string, what: string, cause?: unknown): OnymError {
  const reason = `${what} did not take hold; look for a trigger in it that discards what is written`;
  return storeCorrupt(place, reason, cause);
}

export function storeNewer(place: string, migration: string): OnymError {
  return new OnymError(
    "store-newer",
    `The store ${place} was written by a later version of Onym (it has "${escapeText(migration)}").`,
    "Use that version of Onym or a later one; the store was left as it is.",
  );
}

/** Approval requests of one caller that wait for an operator (SAFE-5). */
export const MAX_CALLER_WAITING = 100;
/** Of all callers. Each holds a definition, and people read them. */
export const MAX_WAITING = 1_000;

/**
 * Refuses one more approval request where as many wait as may. None gives way: people may be deciding it.
 *
 * @throws OnymError `too-many-requests` or `busy`
 */
export function checkWaiting({ own, all }: { readonly own: number; readonly all: number }): void {
  const hint = "Decide those that wait: onym approvals.";
  if (own >= MAX_CALLER_WAITING)
    throw new OnymError("too-many-requests", `${own} requests of this caller wait for approval.`, hint);
  if (all >= MAX_WAITING) throw new OnymError("busy", `${all} requests wait for approval.`, hint);
}

/** An engine's error as one that says what to do. What is a mistake in a program stays what it is. */
export function toStoreError(place: string, error: unknown): unknown {
  if (error instanceof OnymError) return error;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error;
  const code = errorCode(error);
  if (/^SQLITE_(CORRUPT|NOTADB)|^XX00[12]$/.test(code))
    return storeCorrupt(place, `its contents are damaged (${code})`, error);
  if (code === "SQLITE_CONSTRAINT_TRIGGER") return storeUnwritten(place, "what was to be written", error);
  return storeUnavailable(place, explainReason(error, code), error);
}

/** Somebody else is writing, and trying again will do. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)|^(40001|40P01|55P03)$/.test(errorCode(error));
}

function explainReason(error: unknown, code: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(code))?.[1];
  const text = error instanceof Error ? error.message : String(error);
  const reason = escapeText(text.replace(/\s+/g, " ").trim().replace(/\.$/, "")).slice(0, 300);
  const shown = [reason, code].filter((part) => part !== "").join(", ");
  return known === undefined ? shown : `${known} (${shown})`;
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL$|^53100$/, "the disk is full"],
  [/^SQLITE_READONLY|^25006$/, "it may only be read"],
  [/^SQLITE_(BUSY|LOCKED)/, "another process holds it"],
  [/^SQLITE_IOERR/, "the disk refuses"],
  [/^SQLITE_(CANTOPEN|PERM|AUTH)|^E(ACCES|PERM|ROFS)$/, "it may not be opened"],
  [/^28|^3D000$/, "the database server refuses this user or database"],
  [/^57014$/, "the database server took too long"],
  [/^ETIMEDOUT$/, "the database server does not answer"],
  [/^08|^57P|^ECONN|^ENOTFOUND$|^EPIPE$|^EAI_AGAIN$/, "the database server cannot be reached"],
];
