// Approval requests and decisions as `--json` prints them.

import { type DefinitionDiff, definitionDigest, diffDefinitions } from "@onym/core/approvals";
import { OnymError } from "../../model/onym-error.js";
import type { PolicyDecision } from "../../policy/decide-call.js";
import type { PendingApproval, StoredApproval } from "../../store/store.js";
import { isoMoment } from "../read-moment.js";
import type { KeyedTool } from "../store/name-keys.js";

export type ApprovalState = "in force" | "expired" | "revoked" | "replaced";

/** Of several for one caller and tool only the newest can be in force; what it replaced does not come back. */
export function approvalState(
  approval: StoredApproval,
  { inForce, now }: { readonly inForce: ReadonlySet<number>; readonly now: number },
): ApprovalState {
  if (inForce.has(approval.id)) return "in force";
  if (hasExpired(approval, now)) return "expired";
  return approval.revokedAt === undefined ? "replaced" : "revoked";
}

export function reportPending(
  pending: PendingApproval,
  tool: KeyedTool,
  why: PendingReason & { readonly now: PolicyDecision | undefined },
) {
  const { id, principal, launch, digest, definition, askedAt } = pending;
  return {
    id,
    caller: principal,
    ...tool,
    reason: why.reason,
    changed: why.what,
    changes: why.diff?.changes,
    effect: why.now?.effect,
    rule: why.now?.rule,
    askedAt: isoMoment(askedAt),
    launch,
    digest,
    definition,
  };
}

export function reportApproval(approval: StoredApproval, tool: KeyedTool, state: ApprovalState) {
  const { id, verdict, principal, launch, digest, decidedAt, decidedBy, expiresAt, revokedAt, isOnce } =
    approval;
  return {
    id,
    verdict,
    state,
    caller: principal,
    ...tool,
    decidedAt: isoMoment(decidedAt),
    decidedBy,
    expiresAt: expiresAt === undefined ? undefined : isoMoment(expiresAt),
    revokedAt: revokedAt === undefined ? undefined : isoMoment(revokedAt),
    isOnce,
    launch,
    digest,
  };
}

// Why a call waits for a decision: nothing was decided, what was decided has expired, or the tool is no longer the same.

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
export function explainReason({ reason, what }: PendingReason, now: PolicyDecision | undefined): string {
  if (now !== undefined && now.effect !== "ask") return `no longer asked: ${now.effect} by ${now.rule}`;
  if (reason === "expired") return "its approval has expired";
  if (reason === "new") return now === undefined ? "not approved yet" : `asked by ${now.rule}`;
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
function hasExpired({ expiresAt, revokedAt }: StoredApproval, now: number): boolean {
  if (expiresAt === undefined) return false;
  return revokedAt === undefined ? expiresAt <= now : revokedAt === expiresAt;
}
