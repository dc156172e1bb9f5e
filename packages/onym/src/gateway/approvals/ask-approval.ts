// Asking whether a call may run: the user through the client, else whoever looks after the gateway (POL-3).

import type { Log } from "../../model/log.js";
import type { CallAnswer, CallDecision } from "../../policy/decide-call.js";
import type { AuditRecord, DecisionStore } from "../../store/store.js";
import { decisionRecord } from "../calls/audit-entry.js";
import type { GuardedCall, Refusal } from "../calls/guard.js";
import type { RequestContext } from "../router.js";
import { approvalQuestion, canBeAsked, readApprovalAnswer } from "./approval-question.js";
import { bindCall } from "./bind-call.js";
import type { StandingApprovals } from "./standing-approvals.js";
import { waitForDecision } from "./wait-for-decision.js";

export interface AskPorts {
  readonly store: Pick<DecisionStore, "approvals">;
  readonly standing: StandingApprovals;
  /** What is new is on record. */
  readonly settled: () => Promise<void>;
  /** Decides about the tool as it is when it is asked. */
  readonly decide: (call: GuardedCall, answer?: CallAnswer) => CallDecision;
  /** Leaves a record of a decision beside the calls (POL-4). */
  readonly record: (entry: AuditRecord) => Promise<unknown>;
  readonly when: { readonly when: "wait" | "fail"; readonly waitMs: number };
  readonly log: Log;
  readonly now: () => number;
}

export interface Asked {
  readonly call: GuardedCall;
  /** Why it asks. */
  readonly decision: CallDecision & { readonly kind: "ask" };
  /** The way to the user, where there is one. */
  readonly put: RequestContext["sendRequest"];
  /** Aborted when the answer no longer counts: the client is gone, or another policy is in force. */
  readonly signal: AbortSignal;
}

/** @throws where a decision cannot be stored: then it is not one. */
export async function askApproval(asked: Asked, ports: AskPorts): Promise<CallDecision | Refusal> {
  const { call, decision, put, signal } = asked;
  // Somebody may have decided a moment ago, elsewhere. Nobody is asked what the store can answer.
  await Promise.all([ports.standing.refresh(), ports.settled()]);
  const known = ports.decide(call);
  if (known.kind !== "ask") return known;
  const decided =
    put !== undefined && canBeAsked(call.caller.capabilities)
      ? await askUser({ ...asked, put }, ports)
      : await askOperator(asked, ports);
  return signal.aborted ? decision : decided;
}

async function askUser(
  { call, decision, put, signal }: Asked & { readonly put: NonNullable<RequestContext["sendRequest"]> },
  { store, standing, decide, record, now }: AskPorts,
): Promise<CallDecision> {
  const { tool, caller, launch } = call;
  const binding = bindCall(call);
  const { digest } = binding;
  const answer = readApprovalAnswer(
    await put(
      approvalQuestion(tool, decision, { digest, sent: call.sent, args: call.params["arguments"] }),
      signal,
    ),
  );
  if (answer === "dismissed") return decision;
  const verdict = answer === "deny" ? "rejected" : "approved";
  const by = `${caller.principal} (asked by its client)`;
  const at = now();
  let approval: number | undefined;
  if (answer === "always") {
    const decided = { ...binding, verdict, decidedAt: at, decidedBy: by, expiresAt: undefined } as const;
    approval = (await store.approvals.decide(decided)).id;
    // The next call may come before the store has told of the change.
    await standing.refresh();
  }
  await record(decisionRecord(call, { verdict, approval, by, at }));
  return decide({ ...call, tool: call.toolNow() }, { verdict, shown: { digest, launch } });
}

async function askOperator(
  { call, decision, signal }: Asked,
  { store, standing, decide, when, log, now }: AskPorts,
): Promise<CallDecision | Refusal> {
  const { canonical } = call.tool;
  const binding = bindCall(call);
  const { before } = decision;
  const pending = await store.approvals.await({ ...binding, canonical, askedAt: now(), before });
  log("warn", `a call waits for approval: onym approve ${pending.id}`, { canonical });
  if (when.when === "fail") return { ...decision, pending: pending.id };
  const decided = await waitForDecision({
    decide: () => decide({ ...call, tool: call.toolNow() }),
    waitMs: when.waitMs,
    signal,
    changes: standing.changes,
  });
  return decided.kind === "ask" ? { ...decided, pending: pending.id } : decided;
}
