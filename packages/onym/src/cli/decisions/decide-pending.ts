// What `onym approve` and `onym deny` share: a question becomes a decision about exactly what it asks.

import { escapeText } from "@onym/core";
import type { PendingApproval, Store, StoredApproval } from "../../store/store.js";
import type { Terminal } from "../terminal.js";
import { aboutApproval, recordDecision } from "./record-decision.js";
import { userName } from "./user-name.js";

export interface PendingDecision {
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
