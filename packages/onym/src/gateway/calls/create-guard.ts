// The guard of a gateway with a policy and a store. The order is the security model: see, decide, ask, record,
// run. Where the store fails, nothing runs.

import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lock, ToolKey } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { toAbortSignal } from "../../mcp/fast-path/in-flight.js";
import { launchFingerprint } from "../../model/launch.js";
import type { PolicyInput } from "../../model/policy-rule.js";
import { buildPolicy } from "../../policy/build-policy.js";
import type { RuleOwner } from "../../policy/compile-rule.js";
import {
  type AskDecision,
  type CallAnswer,
  type CallDecision,
  decideCall,
  type PolicyDecision,
  type StandingSubject,
} from "../../policy/decide-call.js";
import { findIdleRuleSteps } from "../../policy/find-idle-rules.js";
import { buildFormerNames, buildFormerServers } from "../../policy/former-names.js";
import type { DecisionStore } from "../../store/store.js";
import { canBeAsked } from "../approvals/approval-request.js";
import { askApproval } from "../approvals/ask-approval.js";
import { createQuarantine, keysOf } from "../approvals/quarantine.js";
import { bindCall, createCallGrants, createStandingApprovals } from "../approvals/standing-approvals.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { digestOf } from "../catalog/name-lock.js";
import { createSuspendedCalls } from "../forward/suspended-calls.js";
import type { GatewaySettings } from "../settings.js";
import {
  createCallerAccess,
  createCallerVisibility,
  ruleOwnerOf,
  subjectOf,
} from "../visibility/caller-visibility.js";
import {
  blankRecord,
  type CallAuditOptions,
  createCallAudit,
  deniedRecord,
  outcomeRecord,
} from "./call-audit.js";
import type { DecidedCall, FinalDecision, Guard, GuardedCall } from "./guard.js";
import { refuseUnreadable } from "./sent-name.js";

export interface GuardOptions extends CallAuditOptions {
  readonly policy: PolicyInput & {
    readonly ask: { readonly when: "wait" | "fail"; readonly waitMs: number };
  };
  readonly renames: GatewaySettings["renames"];
  /** The servers, with the ids that they had before. */
  readonly sources: Parameters<typeof buildFormerServers>[0];
  /** Calls of one caller that may wait for its answer to an approval request (SAFE-5). */
  readonly maxSuspended: number;
  readonly store: DecisionStore;
}

/** Reads the approvals in force before it resolves, so that every call is decided with them. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { store, log, now } = options;
  const audit = createCallAudit(options);
  /**
   * From the latest view, also for tools of an earlier one: while a call waited, its server may have listed a former name
   * again, and what is approved under it is no longer approved of the tool that was called.
   */
  let lineageOf: GatewaySnapshot["tools"]["lineageOf"] = (tool) => ({
    key: tool.key,
    former: [],
    line: [],
  });
  let promptLineageOf = lineageOf;
  let locks: readonly Pick<Lock, "tools">[] = [];
  const policy = buildPolicy(options.policy, {
    formerNames: buildFormerNames(options.renames, (tool) => lineageOf(tool)),
    formerPrompts: buildFormerNames([], (prompt) => promptLineageOf(prompt)),
    formerServers: buildFormerServers(options.sources, () => locks),
  });
  const { newTools = "allow" } = options.policy;
  /** Where policy allows new tools, the guard does not track which tools are new. */
  const quarantine = newTools === "allow" ? undefined : await createQuarantine({ store, log, now });
  const standing = await createStandingApprovals({ store, now, log });
  const suspended = createSuspendedCalls({
    maxOwn: () => options.maxSuspended,
    judgesDefinition: true,
    onRefused({ caller, sent, target: { identity } }) {
      const blank = blankRecord({ call: randomUUID(), caller, sent, at: now() });
      const { key: tool, canonical } = identity;
      audit.recordLater({ ...blank, tool, canonical, decision: "refused", outcome: "another call's state" });
    },
  });
  const grants = createCallGrants();
  /**
   * Aborted when a new guard replaces this one: pending approval requests belong to a policy that is no longer in
   * force.
   */
  const closing = new AbortController();

  const decideByPolicy = ({ target, caller, launch }: DecidedCall): PolicyDecision =>
    target.kind === "tool"
      ? policy.decide(
          target.identity,
          subjectOf(caller),
          (each) => quarantine?.isNew(keysOf(each, lineageOf(each)), launch) === true,
        )
      : policy.decideItem(target, subjectOf(caller));
  const subjectOfCall = ({ target, caller: { principal } }: DecidedCall): StandingSubject => {
    const { former, line } = target.kind === "tool" ? lineageOf(target.identity) : NO_LINEAGE;
    const tool = target.identity.key;
    const keyOf = ({ key }: { readonly key: ToolKey }): ToolKey => key;
    return line.length === 0
      ? { principal, tool }
      : { principal, tool, lineage: { former: former.map(keyOf), line: line.map(keyOf) } };
  };
  const decide = (call: DecidedCall, answer?: CallAnswer): CallDecision =>
    decideCall({
      policy: decideByPolicy(call),
      binding: bindCall(call),
      standing: standing.find(subjectOfCall(call)),
      answer,
    });
  /** After an approval request: on the target as it is then, which may have changed. */
  const decideNow = (call: GuardedCall, answer?: CallAnswer): CallDecision =>
    decide({ ...call, target: call.targetNow() ?? call.target }, answer);
  const undecided = (call: GuardedCall, decision: AskDecision, error: unknown): FinalDecision => {
    const { canonical, key: toolKey } = call.target.identity;
    audit.failures.failed("decisions cannot be stored", error, { canonical, toolKey });
    return { kind: "undecided", ask: decision, error };
  };
  const ask: Guard["ask"] = async (call, decision) => {
    if (call.isUnasked === true) return decision;
    const { sendRequest } = call.requestContext;
    const signal = AbortSignal.any([toAbortSignal(call.requestContext.signal), closing.signal]);
    const toolsRecorded = async (): Promise<void> => quarantine?.toolsRecorded();
    const ports = {
      ...{ store, standing, toolsRecorded, record: audit.record, log, now },
      decide: decideNow,
      when: options.policy.ask,
    };
    try {
      const decided = await askApproval({ call, decision, sendRequest, signal }, ports);
      // Nobody approved a call of something that is not there.
      return decided.kind === "allow" && call.targetNow() === undefined
        ? { kind: "deny", rule: decided.rule, reason: "gone" }
        : decided;
    } catch (error) {
      return undecided(call, decision, error);
    }
  };

  return {
    visibility: createCallerVisibility({ policy, isNewIn: quarantine?.isNewIn }),
    access: createCallerAccess(policy),
    adoptSnapshot(snapshot) {
      locks = [snapshot.tools.lock, snapshot.prompts.lock];
      lineageOf = snapshot.tools.lineageOf;
      promptLineageOf = snapshot.prompts.lineageOf;
      quarantine?.recordTools(snapshot);
    },
    prepareSteps: ({ tools }) => policy.matchSteps(tools.catalog.tools),
    toolsRecorded: async () => quarantine?.toolsRecorded(),
    watch(listener) {
      // Tools that need approval stay visible, so only "deny" changes what callers see.
      if (newTools === "deny") quarantine?.changes.add(listener);
    },
    resume(call) {
      const { requestState: state } = call.params;
      return typeof state === "string" && suspended.has(state)
        ? suspended.resume(call, call.requestContext, state)
        : undefined;
    },
    decide(call) {
      const isGranted = grants.take(call);
      const decision = decide(call);
      if (decision.kind !== "ask" || call.isUnasked === true) return { call, decision };
      // Nobody can judge what takes a second to parse.
      if (refuseUnreadable(call.params["arguments"]) !== undefined)
        return { call: { ...call, isUnasked: true }, decision };
      // People approve the parsed arguments, so these are forwarded: a duplicate member then has only one
      // meaning.
      const shown: GuardedCall = { ...call, argumentsText: undefined };
      return isGranted
        ? { call: shown, decision: { kind: "allow", rule: decision.rule, approval: "call" } }
        : { call: shown, decision };
    },
    asksByReply: ({ isUnasked, caller }, { kind }) =>
      kind === "ask" && isUnasked !== true && caller.era === "modern" && canBeAsked(caller.capabilities),
    suspend: (call, work) =>
      suspended.begin(call, call.requestContext, ({ signal, notify, sendRequest }) =>
        work({ ...call, requestContext: { ...call.requestContext, signal, notify, sendRequest } }),
      ),
    ask,
    async useOnce(call, allowed) {
      let decision: FinalDecision = allowed;
      while (decision.kind === "allow" && decision.isOnce === true && typeof decision.approval === "number") {
        try {
          if (await store.approvals.revoke(decision.approval, now())) return decision;
          await standing.refresh();
        } catch (error) {
          return undecided(call, { kind: "ask", rule: decision.rule, reason: "undecided", what: [] }, error);
        }
        // Another call was first.
        const again = decideNow(call);
        decision = again.kind === "ask" ? await ask(call, again) : again;
      }
      return decision;
    },
    recordIntent: audit.recordIntent,
    recordOutcome({ call, decision, entry }, outcome) {
      // Not awaited: only the intent has to be on record before the reply.
      if (entry !== undefined) audit.recordLater(outcomeRecord(entry, outcome, now()));
      // A standing approval covers the call's next request by itself, unless it was for one call.
      const isUsedUp = decision.approval === "call" || decision.isOnce === true;
      if (isUsedUp && outcome !== undefined) grants.give(call, outcome);
    },
    reconsider(call) {
      const decision = decide(call);
      if (decision.kind === "deny" || (decision.kind === "allow" && decision.isOnce !== true))
        return { kind: decision.kind };
      const { tool, launch, digest } = bindCall(call);
      return {
        kind: "ask",
        mark: JSON.stringify([tool, launch, digest, standing.lastId(subjectOfCall(call))]),
      };
    },
    watchApprovals: (listener) => void standing.changes.add(listener),
    problemSteps: (snapshot) =>
      findIdleRuleSteps({
        policy,
        snapshot: snapshot.tools,
        unlisted: unlistedServers(snapshot),
        items: { prompts: snapshot.prompts.catalog.tools, resources: judgedResources(snapshot) },
      }),
    countFormer({ caller, sent, lineage }) {
      store.usage
        .count({ caller: caller.principal, name: sent, tool: lineage.key, at: now() })
        .catch((error: unknown) => audit.failures.failed("uses of former names cannot be counted", error));
    },
    async refuse({ caller, sent, outcome, denied }) {
      const blank = blankRecord({ call: randomUUID(), caller, sent, at: now() });
      if (denied === undefined) return audit.recordLater({ ...blank, decision: "refused", outcome });
      // The time to explain a refusal must not tell a hidden name from an unknown one. The digest was
      // computed for the lock; the rest runs after this turn (GW-6).
      await nextTurn();
      const { target } = denied;
      const launch = denied.launch === undefined ? "" : launchFingerprint(denied.launch);
      const { rule } = decideByPolicy({ target, caller, launch });
      const definition = digestOf(target.identity.definition);
      await audit.recordLater(deniedRecord(blank, target.identity, { rule, definition }));
    },
    keepsArguments: audit.keepsArguments,
    async close() {
      closing.abort();
      standing.close();
      quarantine?.close();
      suspended.closeAll();
    },
  };
}

const NO_LINEAGE = { former: [], line: [] } as const;

/**
 * Beyond this, resources are not matched against rules on each list change, and no resource rule counts as
 * unused.
 */
const MAX_JUDGED = 5_000;

function judgedResources(snapshot: GatewaySnapshot) {
  const listed = snapshot.present.flatMap((owner) => [
    ...snapshot.resourcesOf(owner),
    ...snapshot.templatesOf(owner),
  ]);
  return listed.length > MAX_JUDGED
    ? undefined
    : snapshot.present.flatMap((owner) => resourcesOf(owner, snapshot));
}

/** The resources that a server lists, in the form that rules take. */
function resourcesOf(owner: Downstream, snapshot: GatewaySnapshot) {
  const known = snapshot.tools.catalog.servers.find((server) => ownerKey(server) === ownerKey(owner.id));
  const uris = [
    ...snapshot.resourcesOf(owner).map(({ uri }) => String(uri)),
    ...snapshot.templatesOf(owner).map(({ uriTemplate }) => String(uriTemplate)),
  ];
  return uris.map((uri) => ({ kind: "resource" as const, owner: ruleOwnerOf(owner.id, known), uri }));
}

/** The servers of the catalog whose tools are not known. */
function unlistedServers({ tools, present }: GatewaySnapshot): readonly RuleOwner[] {
  const listed = new Set(present.map(({ id }) => ownerKey(id)));
  return tools.catalog.servers.filter((server) => !listed.has(ownerKey(server)));
}
