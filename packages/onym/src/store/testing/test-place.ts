// A place for a store under test, and the samples that are put there.

import type { Lock, ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { NewApproval, PendingApproval, Store } from "../store.js";

/** What each engine gives to the shared suite. */
export interface TestPlace {
  readonly location: string;
  readonly folder: string;
  /** Changes rows behind the store's back. */
  readonly tamper: (...statements: readonly string[]) => Promise<void>;
}

export const toolA = toolKeyOf({ server: "crm", raw: "send" });
export const toolB = toolKeyOf({ server: "mail", raw: "send" });

export function lockOf(names: Readonly<Record<string, ToolKey>>, style: "flat" | "toolbox" = "flat"): Lock {
  return {
    profiles: new Map([
      ["openai", { style, names: new Map(Object.entries(names).map(([name, key]) => [name, { key }])) }],
    ]),
    tools: new Map(
      Object.values(names).map((key) => [key, { canonical: `canonical of ${key}`, digest: "d" }]),
    ),
  };
}

export function approvalOf(more: Partial<NewApproval> = {}): NewApproval {
  return {
    verdict: "approved",
    principal: "ann",
    tool: toolA,
    launch: "launch-1",
    digest: "digest-1",
    definition: { description: "Sends a mail.", inputSchema: { type: "object" } },
    decidedAt: 1000,
    decidedBy: "ann",
    expiresAt: undefined,
    ...more,
  };
}

export function pendingOf(more: Partial<PendingApproval> = {}): Omit<PendingApproval, "id"> {
  return {
    principal: "ann",
    tool: toolA,
    canonical: "crm@1/send@1",
    launch: "launch-1",
    digest: "digest-1",
    definition: { description: "Sends a mail." },
    askedAt: 500,
    before: undefined,
    ...more,
  };
}

export function recordOf(more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    kind: "intent",
    at: 1000,
    call: "call-1",
    caller: "ann",
    profile: "openai",
    sent: "crm_send",
    tool: toolA,
    canonical: "crm@1/send@1",
    rule: undefined,
    decision: "allow",
    definition: "digest-1",
    argumentsDigest: "abc",
    arguments: undefined,
    outcome: undefined,
    ms: undefined,
    ...more,
  };
}

/** Resolves when a listener has been told of this revision or a later one. */
export function heardOf(store: Store, revision: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch((seen) => {
      if (seen < revision) return;
      stop();
      resolve();
    });
  });
}
