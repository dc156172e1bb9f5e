// The guard of a gateway with a policy and a store. The order is the security model: see, decide, ask, record, run.

import { randomUUID } from "node:crypto";
import { toolBindingOf } from "@onym/core";
import type { Log } from "../../observe/log.js";
import { buildPolicy } from "../../policy/build-policy.js";
import { type CallAnswer, type CallDecision, decideCall } from "../../policy/decide-call.js";
import { buildFormerNames } from "../../policy/former-names.js";
import type { PolicyInput } from "../../policy/policy-input.js";
import { buildStandingCache, type StandingCache } from "../../policy/standing-cache.js";
import { buildVisibleTools, type VisibleTools } from "../../policy/visible-tools.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import { createAuditWriter } from "../../store/create-audit-writer.js";
import type { AuditRecord, Store } from "../../store/store.js";
import type { Caller } from "../caller.js";
import { describeError } from "../describe-error.js";
import { createParkedCalls } from "../forward/parked-calls.js";
import type { Exchange } from "../front.js";
import type { GatewaySettings } from "../settings.js";
import type { View } from "../view/view.js";
import { approvalQuestion, canBeAsked, readApprovalAnswer } from "./approval-question.js";
import { askedBackState, blankRecord, callFacts, grantKey, outcomeOf } from "./audit-entry.js";
import type { CallerSight, Guard, GuardedCall } from "./guard.js";
import { refusedResult } from "./refused-result.js";
import { waitForDecision } from "./wait-for-decision.js";

export interface GuardOptions {
  readonly policy: PolicyInput & {
    readonly ask: { readonly when: "wait" | "fail"; readonly waitMs: number };
  };
  readonly audit: { readonly arguments: boolean; readonly onFailure: "deny" | "allow" };
  readonly renames: GatewaySettings["renames"];
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
}

const MOST_GRANTS = 1_000;

type AskDecision = CallDecision & { readonly kind: "ask" };

/** Reads the approvals in force before it resolves, so that no call is decided without them. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { store, log, now } = options;
  const policy = buildPolicy(options.policy, { formerNames: buildFormerNames(options.renames) });
  const writer = createAuditWriter(store.audit);
  const asking = createParkedCalls();
  /** States of calls that were allowed once and asked back for something else. */
  const granted = new Map<string, string>();
  const grant = (state: string, key: string): void => {
    granted.set(state, key);
    const [oldest] = granted.keys();
    if (granted.size > MOST_GRANTS && oldest !== undefined) granted.delete(oldest);
  };
  let standing: StandingCache = buildStandingCache(await store.approvals.inForce(now()));
  const changes = new Set<() => void>();
  const stopWatching = store.watch(() => {
    store.approvals.inForce(now()).then(
      (rows) => {
        standing = buildStandingCache(rows);
        for (const tell of [...changes]) tell();
      },
      (error: unknown) => log("error", `approvals cannot be read again: ${describeError(error)}`),
    );
  });

  const sights = new WeakMap<View, Map<string, CallerSight | undefined>>();
  const sightOf = (view: View, caller: Caller): CallerSight | undefined => {
    const made = sights.get(view) ?? new Map<string, CallerSight | undefined>();
    sights.set(view, made);
    const key = JSON.stringify([caller.principal, caller.profile.id, caller.as ?? null]);
    if (made.has(key)) return made.get(key);
    const sight = buildSight(view, caller, key);
    made.set(key, sight);
    return sight;
  };
  const buildSight = (view: View, caller: Caller, key: string): CallerSight | undefined => {
    const { tools } = view.tools.catalog;
    const visible: VisibleTools = buildVisibleTools(policy, tools, subjectOf(caller));
    // Where nothing is hidden there is nothing to keep quiet about.
    if (visible.tools.length === tools.length) return undefined;
    const names = { toolNamed: (name: string) => view.tableOf(caller).toolNamed(name) };
    return {
      key,
      sees: visible.isVisible,
      hide: (input, resolution) => visible.hide(input, resolution, names),
    };
  };

  const record = async (entry: Partial<AuditRecord>, call: GuardedCall, id: string): Promise<boolean> => {
    try {
      const { caller, sent } = call;
      const blank = blankRecord({ call: id, caller, sent, at: now() });
      await writer.record({ ...blank, ...callFacts(call, options.audit.arguments), ...entry });
      return true;
    } catch (error) {
      log("error", `a call cannot be recorded: ${describeError(error)}`, { canonical: call.tool.canonical });
      return options.audit.onFailure === "allow";
    }
  };
  const decide = (call: GuardedCall, answer?: CallAnswer): CallDecision => {
    const { principal } = call.caller;
    const binding = toolBindingOf({ principal, launch: call.launch, tool: call.tool });
    const state = standing.find({ principal, tool: call.tool.key }, now());
    return decideCall({
      policy: policy.decide(call.tool, subjectOf(call.caller)),
      binding,
      standing: state,
      answer,
    });
  };

  const proceed = async (
    call: GuardedCall,
    decision: CallDecision,
    exchange: Exchange,
    forward: (exchange: Exchange) => Promise<Reply>,
  ): Promise<Reply> => {
    const id = randomUUID();
    if (decision.kind !== "allow") {
      const outcome = decision.kind === "deny" ? decision.reason : "not approved";
      await record({ kind: "refusal", rule: decision.rule, decision: decision.kind, outcome }, call, id);
      return refusedResult(call.tool, decision);
    }
    const { rule, approval } = decision;
    const how = approval === undefined ? "allow" : `approved ${approval}`;
    if (!(await record({ kind: "intent", rule, decision: how }, call, id)))
      return errorReply(
        CODES.internal,
        "The call cannot be recorded, so it was not made. See the gateway's log.",
      );
    const begun = now();
    const reply = await forward(exchange);
    const state = askedBackState(reply);
    if (state !== undefined) grant(state, grantKey(call));
    void record({ kind: "outcome", outcome: outcomeOf(reply), ms: now() - begun }, call, id);
    return reply;
  };

  /** Asks the user through the client; else leaves the question for whoever may answer, and waits or says how. */
  const ask = async (
    call: GuardedCall,
    decision: AskDecision,
    put: Exchange["ask"],
    signal: AbortSignal,
  ): Promise<CallDecision> => {
    const { tool, caller, launch } = call;
    const binding = toolBindingOf({ principal: caller.principal, launch, tool });
    if (put !== undefined && canBeAsked(caller.capabilities)) {
      const question = approvalQuestion(tool, decision, { digest: binding.digest, sent: call.sent });
      const answer = readApprovalAnswer(await put(question, signal));
      if (answer === "dismissed") return decision;
      const verdict = answer === "deny" ? "rejected" : "approved";
      if (answer === "always") {
        await store.approvals.decide({
          ...binding,
          verdict,
          decidedAt: now(),
          decidedBy: `${caller.principal} (asked by its client)`,
          expiresAt: undefined,
        });
      }
      return decide(call, { verdict, shown: { digest: binding.digest, launch } });
    }
    const pending = await store.approvals.await({
      ...binding,
      canonical: tool.canonical,
      askedAt: now(),
      before: undefined,
    });
    log("warn", `a call waits for approval: onym approve ${pending.id}`, { canonical: tool.canonical });
    if (options.policy.ask.when === "fail") return decision;
    const { waitMs } = options.policy.ask;
    return waitForDecision({ decide: () => decide(call), waitMs, signal, changes });
  };

  return {
    sight: sightOf,
    async run(call, forward) {
      const { requestState: state } = call.params;
      if (typeof state === "string" && asking.has(state))
        return asking.resume({ method: "tools/call", params: call.params }, call.exchange, state);
      const isGranted = typeof state === "string" && granted.get(state) === grantKey(call);
      const first = decide(call);
      const decision: CallDecision =
        first.kind === "ask" && isGranted ? { kind: "allow", rule: first.rule, approval: "call" } : first;
      if (isGranted) granted.delete(state);
      if (decision.kind !== "ask") return proceed(call, decision, call.exchange, forward);
      if (call.caller.era === "legacy" || !canBeAsked(call.caller.capabilities)) {
        const { exchange } = call;
        return proceed(call, await ask(call, decision, exchange.ask, exchange.signal), exchange, forward);
      }
      const subject = { method: "tools/call", params: call.params };
      return asking.begin(subject, call.exchange, async (ports) => {
        const exchange: Exchange = {
          ...call.exchange,
          signal: ports.signal,
          tell: ports.tell,
          ask: undefined,
        };
        return proceed(call, await ask(call, decision, ports.answer, ports.signal), exchange, forward);
      });
    },
    refuse({ caller, sent, outcome }) {
      writer
        .record({
          ...blankRecord({ call: randomUUID(), caller, sent, at: now() }),
          decision: "refused",
          outcome,
        })
        .catch((error: unknown) => log("error", `a refusal cannot be recorded: ${describeError(error)}`));
    },
    async close() {
      stopWatching();
      asking.closeAll();
      await writer.close();
    },
  };
}

function subjectOf({ principal }: Caller): { readonly principal: string } {
  return { principal };
}
