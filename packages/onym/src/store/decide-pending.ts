// An approval request becomes a decision about exactly what it asks, and goes on record beside the calls it is about (POL-3, POL-4).
// Commands and the console share it.

import { randomUUID } from "node:crypto";
import { type AuditRecord, formatApprovalRule } from "../audit/audit-record.js";
import type { PendingApproval, Store, StoredApproval } from "./store.js";

export interface DecisionToRecord extends Pick<AuditRecord, "caller" | "tool" | "canonical" | "rule"> {
  readonly decision: "approved" | "rejected" | "revoked" | "admitted";
  /** The digest of what was decided about, where it was one definition. */
  readonly definition: string | undefined;
  readonly by: string;
  readonly at: number;
}

/** `false`: the decision itself stands already, but could not be recorded. */
export async function recordDecision(
  { audit }: Pick<Store, "audit">,
  { by, ...decided }: DecisionToRecord,
): Promise<boolean> {
  try {
    await audit.append([
      {
        ...decided,
        kind: "decision",
        call: randomUUID(),
        profile: undefined,
        sent: undefined,
        argumentsDigest: undefined,
        arguments: undefined,
        outcome: `by ${by}`,
        ms: undefined,
      },
    ]);
    return true;
  } catch {
    return false;
  }
}

/** What a decision about an approval is about. */
export function aboutApproval({ id, principal, tool, digest }: StoredApproval) {
  return { caller: principal, tool, rule: formatApprovalRule(id), definition: digest };
}

/** An approval of one call is for the call that waits, or its next try. The first one uses it up; unused, it ends after this time. */
export const ONCE_MS = 5 * 60_000;

interface PendingDecision {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  readonly at: number;
  readonly expiresAt: number | undefined;
  /** It allows one call. */
  readonly isOnce?: boolean;
}

/** Older requests of the same caller about the same tool go too: what they ask about is no longer there. */
export async function decidePending(
  store: Pick<Store, "approvals" | "audit">,
  entry: PendingApproval,
  { verdict, by, at, expiresAt, isOnce }: PendingDecision,
): Promise<{ readonly approval: StoredApproval; readonly isRecorded: boolean }> {
  const { principal, tool, launch, digest, definition, canonical, isOfLine } = entry;
  const approval = await store.approvals.decide({
    verdict,
    principal,
    tool,
    launch,
    digest,
    definition,
    decidedAt: at,
    decidedBy: by,
    expiresAt,
    ...(isOnce === true ? { isOnce } : {}),
    ...(isOfLine === true ? { isOfLine } : {}),
  });
  const decided = { ...aboutApproval(approval), canonical, decision: verdict, by, at };
  const isRecorded = await recordDecision(store, decided);
  const before = verdict === "rejected" ? undefined : entry.id;
  await store.approvals.dismissAbout({ principal, tool, before });
  return { approval, isRecorded };
}
