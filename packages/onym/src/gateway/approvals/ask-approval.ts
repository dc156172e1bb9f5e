// Asks whether a call may run: the user through the client, else an operator (POL-3).

import type { AuditRecord } from "../../audit/audit-record.js";
import type { ServerRequest } from "../../downstream/downstream.js";
import type { Log } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { AskDecision, CallAnswer, CallDecision } from "../../policy/decide-call.js";
import type { DecisionStore } from "../../store/store.js";
import { MAX_CALLER_WAITING, MAX_WAITING } from "../../store/store-errors.js";
import { decisionRecord } from "../calls/call-audit.js";
import type { GuardedCall, RefusedDecision } from "../calls/guard.js";
import type { RequestContext } from "../router.js";
import { buildApprovalRequest, canBeAsked, readApprovalAnswer } from "./approval-request.js";
import type { PendingRequests } from "./pending-requests.js";
import { bindCall, type StandingApprovals } from "./standing-approvals.js";

export interface AskPorts {
  readonly store: Pick<DecisionStore, "approvals">;
  readonly requests: PendingRequests;
  readonly standing: StandingApprovals;
  /** Resolves when new tools are recorded. */
  readonly toolsRecorded: () => Promise<void>;
  /** Decides on the target as it is at that moment. */
  readonly decide: (call: GuardedCall, answer?: CallAnswer) => CallDecision;
  /** Records a decision in the audit log, beside the calls (POL-4). */
  readonly record: (entry: AuditRecord) => Promise<unknown>;
  readonly when: { readonly when: "wait" | "fail"; readonly waitMs: number };
  readonly log: Log;
  readonly now: () => number;
}

export interface Asked {
  readonly call: GuardedCall;
  /** Why approval is needed. */
  readonly decision: CallDecision & { readonly kind: "ask" };
  /** Sends the request to the user; absent if the client cannot be asked. */
  readonly sendRequest: RequestContext["sendRequest"];
  /** Aborted when the answer no longer counts: the client disconnected, or a new policy is in force. */
  readonly signal: AbortSignal;
}

/** @throws if a decision cannot be stored: it is then not in force. */
export async function askApproval(asked: Asked, ports: AskPorts): Promise<CallDecision | RefusedDecision> {
  const { call, decision, sendRequest, signal } = asked;
  // Another process may just have decided. Do not ask what the store can answer.
  await Promise.all([ports.standing.refresh(), ports.toolsRecorded()]);
  const known = ports.decide(call);
  if (known.kind !== "ask") return known;
  if (signal.aborted) return decision;
  const decided =
    sendRequest !== undefined && canBeAsked(call.caller.capabilities)
      ? await askUser({ ...asked, sendRequest }, ports)
      : await askOperator(asked, ports);
  return signal.aborted ? decision : decided;
}

async function askUser(
  {
    call,
    decision,
    sendRequest,
    signal,
  }: Asked & { readonly sendRequest: NonNullable<RequestContext["sendRequest"]> },
  { store, standing, decide, record, now }: AskPorts,
): Promise<CallDecision> {
  const { caller, launch } = call;
  const binding = bindCall(call);
  const { digest } = binding;
  const request = await runInSlices(requestSteps(call, decision, digest), caller);
  const answer = readApprovalAnswer(await sendRequest(request, signal));
  if (answer === "dismissed") return decision;
  const verdict = answer === "deny" ? "rejected" : "approved";
  const by = `${caller.principal} (asked by its client)`;
  const at = now();
  let approval: number | undefined;
  if (answer === "always") {
    const decided = { ...binding, verdict, decidedAt: at, decidedBy: by, expiresAt: undefined } as const;
    approval = (await store.approvals.decide(decided)).id;
    // The next call may arrive before the store announces the change.
    await standing.refresh();
  }
  await record(decisionRecord(call, { verdict, approval, by, at }));
  return decide(call, { verdict, shown: { digest, launch } });
}

// biome-ignore lint/correctness/useYield: one step, which shares its slice with those of other calls (SAFE-4).
function* requestSteps(
  { target, sent, params }: GuardedCall,
  decision: AskDecision,
  digest: string,
): Steps<ServerRequest> {
  return buildApprovalRequest(target.identity, decision, { digest, sent, args: params["arguments"] });
}

async function askOperator(
  { call, decision, signal }: Asked,
  { requests, standing, decide, when, log, now }: AskPorts,
): Promise<CallDecision | RefusedDecision> {
  const { canonical } = call.target.identity;
  const { callerKey } = call.caller;
  const binding = bindCall(call);
  const { before } = decision;
  const pending = await requests
    .add({ ...binding, canonical, askedAt: now(), before }, { callerKey, signal })
    .catch((error: unknown) => fullOf(error));
  if (pending === undefined) return decision;
  if (typeof pending === "object") return refusalOf(decision, { full: pending });
  log("warn", `a call waits for approval: onym approve ${pending}`, { canonical });
  if (when.when === "fail") return refusalOf(decision, { pending });
  const decided = await waitForDecision({
    decide: () => decide(call),
    waitMs: when.waitMs,
    signal,
    changes: standing.changes,
  });
  return decided.kind === "ask" ? refusalOf(decided, { pending }) : decided;
}

/** Without the difference to what was approved: it takes long to make, and a refusal does not show it (SAFE-4). */
function refusalOf(
  { kind, rule, reason, what }: AskDecision,
  more: Pick<RefusedDecision, "pending" | "full">,
): RefusedDecision {
  return { kind, rule, reason, what, ...more };
}

/** The limit on waiting requests that was met. Every other error is thrown on. */
function fullOf(error: unknown): NonNullable<RefusedDecision["full"]> {
  const code = error instanceof OnymError ? error.code : undefined;
  if (code === "too-many-requests") return { limit: "callerApprovals", max: MAX_CALLER_WAITING };
  if (code === "busy") return { limit: "approvals", max: MAX_WAITING };
  throw error;
}

function waitForDecision(input: {
  readonly decide: () => CallDecision;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called after each change of the approvals. */
  readonly changes: Set<() => void>;
}): Promise<CallDecision> {
  const { decide, waitMs, signal, changes } = input;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      changes.delete(look);
      signal.removeEventListener("abort", end);
      resolve(decide());
    };
    const look = (): void => {
      if (decide().kind !== "ask") end();
    };
    const timer = setTimeout(end, waitMs);
    changes.add(look);
    signal.addEventListener("abort", end);
    // It may have been decided between the request and the wait.
    look();
  });
}
