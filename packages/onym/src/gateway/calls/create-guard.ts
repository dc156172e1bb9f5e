// The guard of a gateway with a policy and a store. The order is the security model: see, decide, ask, record, run.

import { randomUUID } from "node:crypto";
import type { Downstream } from "../../downstream/downstream.js";
import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { Reply } from "../../mcp/reply.js";
import { launchFingerprint } from "../../model/launch.js";
import type { Log } from "../../model/log.js";
import { buildPolicy, type PolicyDecision, type RuleOwner } from "../../policy/build-policy.js";
import { type CallAnswer, type CallDecision, decideCall } from "../../policy/decide-call.js";
import { findIdleRules } from "../../policy/find-idle-rules.js";
import { buildFormerNames } from "../../policy/former-names.js";
import type { PolicyInput } from "../../policy/policy-input.js";
import type { AuditWriter } from "../../store/audit/create-audit-writer.js";
import type { AuditRecord, DecisionStore } from "../../store/store.js";
import { canBeAsked } from "../approvals/approval-question.js";
import { askApproval } from "../approvals/ask-approval.js";
import { bindCall } from "../approvals/bind-call.js";
import { createCallGrants } from "../approvals/call-grants.js";
import { createQuarantine, keysOf } from "../approvals/quarantine.js";
import { createStandingApprovals } from "../approvals/standing-approvals.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { digestOf } from "../catalog/name-lock.js";
import { createSuspendedCalls } from "../forward/suspended-calls.js";
import type { GatewaySettings } from "../settings.js";
import { describeDecision } from "../tracing/describe-request.js";
import { createCallerAccess, ruleOwnerOf, subjectOf } from "../visibility/caller-access.js";
import { createCallerVisibility } from "../visibility/caller-visibility.js";
import { blankRecord, decidedRecord, deniedRecord, outcomeRecord } from "./audit-entry.js";
import type { Guard, GuardedCall, Intent, Settled } from "./guard.js";
import { createFailureLog } from "./log-failures.js";
import { refusedResult } from "./refused-result.js";
import { storeFailure } from "./store-failure.js";

export interface GuardOptions {
  readonly policy: PolicyInput & {
    readonly ask: { readonly when: "wait" | "fail"; readonly waitMs: number };
  };
  readonly audit: { readonly arguments: boolean; readonly onFailure: "deny" | "allow" };
  readonly renames: GatewaySettings["renames"];
  readonly store: DecisionStore;
  /** Outlives the guard: calls may still be under way when another one takes its place. */
  readonly writer: Pick<AuditWriter, "record" | "follow"> | undefined;
  readonly log: Log;
  readonly now: () => number;
}

/** What a decision is made from. */
type Decided = Pick<GuardedCall, "tool" | "item" | "lineage" | "launch" | "caller">;

const UNRECORDED = "The call cannot be recorded, so it was not made";
const UNDECIDED = "The decision about the call cannot be stored, so it was not made";

/** Reads the approvals in force before it resolves, so that no call is decided without them. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { store, writer, log, now } = options;
  /** As of the last view: tools of an earlier one are found in it by their keys. */
  let lineageOf: GatewaySnapshot["tools"]["lineageOf"] = (tool) => ({ key: tool.key, former: [] });
  let promptLineageOf = lineageOf;
  const policy = buildPolicy(options.policy, {
    formerNames: buildFormerNames(options.renames, (tool) => lineageOf(tool)),
    formerPrompts: buildFormerNames([], (prompt) => promptLineageOf(prompt)),
  });
  const { newTools = "allow" } = options.policy;
  /** Where new tools are allowed nobody keeps which they are. */
  const quarantine = newTools === "allow" ? undefined : await createQuarantine({ store, log, now });
  const standing = await createStandingApprovals({ store, now, log });
  const asking = createSuspendedCalls();
  const grants = createCallGrants();
  /** Aborted when another guard takes its place: what is being asked is asked under a policy that no longer holds. */
  const closing = new AbortController();

  const decideByPolicy = ({ tool, item, caller, lineage, launch }: Decided): PolicyDecision =>
    item === undefined
      ? policy.decide(
          tool,
          subjectOf(caller),
          (each) => quarantine?.isNew(keysOf(each, lineage), launch) === true,
        )
      : policy.decideItem(item, subjectOf(caller));
  const decide = (call: Decided, answer?: CallAnswer): CallDecision => {
    const binding = bindCall(call);
    return decideCall({
      policy: decideByPolicy(call),
      binding,
      standing: standing.find(
        call.lineage.former.length === 0
          ? binding
          : { ...binding, formerly: keysOf(call.tool, call.lineage) },
      ),
      answer,
    });
  };
  const failures = createFailureLog(log, now);
  const tellFailure = (entry: AuditRecord, error: unknown): void =>
    failures.failed("calls cannot be recorded", error, { canonical: entry.canonical, toolKey: entry.tool });
  /** The answer to a call that must not be made, because it is not on record. */
  const record = async (entry: AuditRecord): Promise<Reply | undefined> => {
    try {
      await writer?.record(entry);
      failures.worked();
      return undefined;
    } catch (error) {
      tellFailure(entry, error);
      return options.audit.onFailure === "allow" ? undefined : storeFailure(UNRECORDED, error);
    }
  };
  /** For what no call waits for. */
  const follow = (entry: AuditRecord): void => {
    writer?.follow(entry).catch((error: unknown) => tellFailure(entry, error));
  };
  const recordDecided = async (call: GuardedCall, settled: Settled): Promise<Intent> => {
    const decision = settled.kind === "undecided" ? settled.ask : settled;
    if (settled.kind !== "undecided") describeDecision(call.requestContext.span, settled.kind);
    const keepArguments = options.audit.arguments && settled.kind !== "undecided";
    const entry = decidedRecord(call, decision, { id: randomUUID(), at: now(), keepArguments });
    const unrecorded = await record(entry);
    if (settled.kind === "undecided")
      return { kind: "refused", reply: storeFailure(UNDECIDED, settled.error) };
    if (settled.kind !== "allow") return { kind: "refused", reply: refusedResult(call, settled) };
    if (unrecorded !== undefined) return { kind: "refused", reply: unrecorded };
    return { kind: "recorded", call, decision: settled, entry };
  };

  return {
    visibility: createCallerVisibility({
      policy,
      isNewIn: quarantine?.isNewIn,
      hidesNew: newTools === "deny",
    }),
    access: createCallerAccess(policy),
    meet(snapshot) {
      lineageOf = snapshot.tools.lineageOf;
      promptLineageOf = snapshot.prompts.lineageOf;
      quarantine?.meet(snapshot);
    },
    settled: async () => quarantine?.settled(),
    watch(listener) {
      // What is asked about is seen.
      if (newTools === "deny") quarantine?.changes.add(listener);
    },
    attend(call, work) {
      const { requestState: state } = call.params;
      const { caller, method = "tools/call" } = call;
      // An answer counts for the caller that was asked.
      const subject = {
        method,
        params: call.params,
        principal: caller.principal,
        callerKey: caller.callerKey,
      };
      if (typeof state === "string" && asking.has(state))
        return asking.resume(subject, call.requestContext, state);
      const isGranted = grants.take(call);
      const decision = decide(call);
      if (decision.kind !== "ask" || call.isUnasked === true) return work(call, decision);
      // What somebody is shown is what is sent: a member that is there twice has one meaning then.
      const shown: GuardedCall = { ...call, argumentsText: undefined };
      if (isGranted) return work(shown, { kind: "allow", rule: decision.rule, approval: "call" });
      if (caller.era === "legacy" || !canBeAsked(caller.capabilities)) return work(shown, decision);
      return asking.begin(subject, call.requestContext, ({ signal, notify, answer }) =>
        work(
          { ...shown, requestContext: { ...call.requestContext, signal, notify, sendRequest: answer } },
          decision,
        ),
      );
    },
    async ask(call, ask) {
      if (call.isUnasked === true) return ask;
      const { sendRequest: put } = call.requestContext;
      const signal = AbortSignal.any([toAbortSignal(call.requestContext.signal), closing.signal]);
      const settled = async (): Promise<void> => quarantine?.settled();
      const ports = { store, standing, settled, decide, record, when: options.policy.ask, log, now };
      try {
        return await askApproval({ call, decision: ask, put, signal }, ports);
      } catch (error) {
        const { canonical, key: toolKey } = call.tool;
        failures.failed("decisions cannot be stored", error, { canonical, toolKey });
        return { kind: "undecided", ask, error };
      }
    },
    recordIntent(call, settled) {
      if (settled.kind === "allow" && writer === undefined) {
        describeDecision(call.requestContext.span, settled.kind);
        return { kind: "recorded", call, decision: settled, entry: undefined };
      }
      return recordDecided(call, settled);
    },
    recordOutcome({ call, decision, entry }, reply) {
      // Not waited for: what was promised is that the call is on record, and it is.
      if (entry !== undefined) follow(outcomeRecord(entry, reply, now()));
      // A standing approval speaks for the call's next request itself, as long as it stands.
      if (decision.approval === "call" && reply !== undefined) grants.give(call, reply);
    },
    allows: (call) => decide(call).kind === "allow",
    problems: (snapshot) =>
      findIdleRules({
        policy,
        snapshot: snapshot.tools,
        unheard: unheardServers(snapshot),
        items: { prompts: snapshot.prompts.catalog.tools, resources: judgedResources(snapshot) },
      }),
    countFormer({ caller, sent, lineage }) {
      store.usage
        .count({ caller: caller.principal, name: sent, tool: lineage.key, at: now() })
        .catch((error: unknown) => failures.failed("uses of former names cannot be counted", error));
    },
    refuse({ caller, sent, outcome, denied }) {
      const blank = blankRecord({ call: randomUUID(), caller, sent, at: now() });
      if (denied === undefined) return follow({ ...blank, decision: "refused", outcome });
      // What it takes to say why must not tell a hidden name from an unknown one: the digest was made for the lock, and
      // the rest is done after this turn (GW-6).
      setImmediate(() => {
        const { tool, item } = denied;
        const launch = denied.launch === undefined ? "" : launchFingerprint(denied.launch);
        const lineage = item === undefined ? lineageOf(tool) : { key: tool.key, former: [] };
        const { rule } = decideByPolicy({
          tool,
          ...(item === undefined ? {} : { item }),
          caller,
          lineage,
          launch,
        });
        follow(deniedRecord(blank, { tool, rule, definition: digestOf(tool.definition) }));
      });
    },
    keepsArguments: options.audit.arguments && writer !== undefined,
    async close() {
      closing.abort();
      standing.close();
      quarantine?.close();
      asking.closeAll();
    },
  };
}

/** More are not held against rules each time a list changes; then no rule about resources counts as idle. */
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

/** What a server lists of resources, as rules take it. */
function resourcesOf(owner: Downstream, snapshot: GatewaySnapshot) {
  const known = snapshot.tools.catalog.servers.find((server) => ownerKey(server) === ownerKey(owner.id));
  const uris = [
    ...snapshot.resourcesOf(owner).map(({ uri }) => String(uri)),
    ...snapshot.templatesOf(owner).map(({ uriTemplate }) => String(uriTemplate)),
  ];
  return uris.map((uri) => ({ kind: "resource" as const, owner: ruleOwnerOf(owner.id, known), uri }));
}

/** Of the catalog's servers, those whose tools are not there. */
function unheardServers({ tools, present }: GatewaySnapshot): readonly RuleOwner[] {
  const heard = new Set(present.map(({ id }) => ownerKey(id)));
  return tools.catalog.servers.filter((server) => !heard.has(ownerKey(server)));
}
