// A decision of a person at the command line in the audit, beside the calls it is about (POL-4).

import { randomUUID } from "node:crypto";
import type { AuditRecord, Store, StoredApproval } from "../../store/store.js";
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
