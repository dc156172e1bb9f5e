// Questions and decisions as `--json` prints them.

import type { PolicyDecision } from "../../policy/build-policy.js";
import type { PendingApproval, StoredApproval } from "../../store/store.js";
import { isoMoment } from "../output/read-moment.js";
import type { KeyedTool } from "./name-keys.js";
import type { PendingReason } from "./why-pending.js";
import { hasExpired } from "./why-pending.js";

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
  const { id, verdict, principal, launch, digest, decidedAt, decidedBy, expiresAt, revokedAt } = approval;
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
    launch,
    digest,
  };
}
