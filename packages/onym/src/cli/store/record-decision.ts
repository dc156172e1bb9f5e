// A decision of a person at the command line in the audit, beside the calls it is about (POL-4).

import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { escapeText } from "@onym/core";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { PendingApproval, Store, StoredApproval } from "../../store/store.js";
import type { Terminal } from "../terminal.js";

export interface DecisionToRecord extends Pick<AuditRecord, "caller" | "tool" | "canonical" | "rule"> {
  readonly decision: "approved" | "rejected" | "revoked" | "admitted";
  /** The digest of what was decided about, where it was one definition. */
  readonly definition: string | undefined;
  readonly by: string;
  readonly at: number;
}

/** What a decision about an approval is about. */
export function aboutApproval({ id, principal, tool, digest }: StoredApproval) {
  return { caller: principal, tool, rule: `approval ${id}`, definition: digest };
}

/** The decision itself stands already; that it is missing in the audit is told, and changes nothing. */
export async function recordDecision(
  store: Store,
  { by, ...decided }: DecisionToRecord,
  terminal: Terminal,
): Promise<void> {
  try {
    await store.audit.append([
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
  } catch {
    terminal.err(
      `${terminal.paintErr("yellow", "warning:")} The decision stands, but could not be recorded in the audit.\n`,
    );
  }
}

// What `onym approve` and `onym deny` share: a question becomes a decision about exactly what it asks.

interface PendingDecision {
  readonly verdict: "approved" | "rejected";
  readonly expiresAt: number | undefined;
  readonly now: number;
}

/** Older questions of the same caller about the same tool go too: what they ask about is no longer there. */
export async function decidePending(
  store: Store,
  entry: PendingApproval,
  { verdict, expiresAt, now }: PendingDecision,
  terminal: Terminal,
): Promise<StoredApproval> {
  const { principal, tool, launch, digest, definition, canonical } = entry;
  const by = userName();
  const approval = await store.approvals.decide({
    verdict,
    principal,
    tool,
    launch,
    digest,
    definition,
    decidedAt: now,
    decidedBy: by,
    expiresAt,
  });
  const decided = { ...aboutApproval(approval), canonical, decision: verdict, by, at: now };
  await recordDecision(store, decided, terminal);
  for (const other of await store.approvals.pending()) {
    const isMoot = verdict === "rejected" || other.id < entry.id;
    if (other.principal === principal && other.tool === tool && isMoot)
      await store.approvals.dismiss(other.id);
  }
  return approval;
}

/** One line about one question. */
export function showPending({ id, canonical, principal }: PendingApproval): string {
  return `${id}: ${escapeText(canonical)} for ${JSON.stringify(escapeText(principal))}`;
}

// Who sits at this machine, as decisions name them.

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
