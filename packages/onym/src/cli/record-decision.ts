// A decision of a person at the command line in the audit, beside the calls it is about (POL-4).

import { randomUUID } from "node:crypto";
import type { Store, StoredApproval } from "../store/store.js";
import type { Terminal } from "./terminal.js";

export interface DecisionToRecord {
  readonly approval: StoredApproval;
  readonly canonical: string | undefined;
  readonly decision: "approved" | "rejected" | "revoked";
  readonly by: string;
  readonly at: number;
}

/** The decision itself stands already; that it is missing in the audit is told, and changes nothing. */
export async function recordDecision(
  store: Store,
  { approval, canonical, decision, by, at }: DecisionToRecord,
  terminal: Terminal,
): Promise<void> {
  try {
    await store.audit.append([
      {
        kind: "decision",
        at,
        call: randomUUID(),
        caller: approval.principal,
        profile: undefined,
        sent: undefined,
        tool: approval.tool,
        canonical,
        rule: `approval ${approval.id}`,
        decision,
        definition: approval.digest,
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
