// Why a call waits for a decision: nothing was decided, what was decided has expired, or the tool is no longer the same.

import { type DefinitionDiff, definitionDigest, diffDefinitions, OnymError } from "@onym/core";
import type { PendingApproval, StoredApproval } from "../../store/store.js";

export interface PendingReason {
  readonly reason: "new" | "changed" | "expired";
  /** What is no longer as it was approved. */
  readonly what: readonly ("definition" | "launch")[];
  /** From what was approved to what waits, where that is another definition. */
  readonly diff: DefinitionDiff | undefined;
}

/**
 * `history` holds the decisions about the tool. The newest approval for the same caller is what the tool is compared
 * with, whether or not it is still in force: who approved it knows it as it was then.
 */
export function whyPending(
  pending: PendingApproval,
  { history, now }: { readonly history: readonly StoredApproval[]; readonly now: number },
): PendingReason {
  const { principal, tool, launch, definition } = pending;
  const last = history.findLast(
    (each) => each.principal === principal && each.tool === tool && each.verdict === "approved",
  );
  const before = last?.definition ?? pending.before;
  const isRedefined = before !== undefined && definitionDigest(before) !== definitionDigest(definition);
  const isRelaunched = last !== undefined && last.launch !== launch;
  if (isRedefined || isRelaunched) {
    const what = [
      ...(isRedefined ? ["definition" as const] : []),
      ...(isRelaunched ? ["launch" as const] : []),
    ];
    return { reason: "changed", what, diff: isRedefined ? diffDefinitions(before, definition) : undefined };
  }
  const isExpired = last !== undefined && hasExpired(last, now);
  return { reason: isExpired ? "expired" : "new", what: [], diff: undefined };
}

/** In a few words. */
export function explainReason({ reason, what }: PendingReason): string {
  if (reason === "expired") return "its approval has expired";
  if (reason === "new") return "new";
  const changed = what.map((each) => (each === "launch" ? "how its server is started" : "its definition"));
  return `changed: ${changed.join(" and ")}`;
}

/** What is shown must be what the digest is of, else somebody would see one thing and approve another. */
export function checkPending({ id, definition, digest }: PendingApproval): void {
  if (definitionDigest(definition) === digest) return;
  throw new OnymError(
    "store-corrupt",
    `What waits as ${id} is not what its digest says: the store was altered.`,
    `Nothing was decided. Turn it down with onym deny ${id}, and find out who writes to the store.`,
  );
}

/** By the clock, or because it is on record that it has. */
export function hasExpired({ expiresAt, revokedAt }: StoredApproval, now: number): boolean {
  if (expiresAt === undefined) return false;
  return revokedAt === undefined ? expiresAt <= now : revokedAt === expiresAt;
}
