// The guard of a gateway with a policy and a store. The order is the security model: see, decide, ask, record,
// run. Where the store fails, nothing runs.

import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lock, Tool, ToolKey } from "@onym/core";
import type { AuditRecord } from "../../audit/audit-record.js";
import { toAbortSignal } from "../../mcp/fast-path/in-flight.js";
import { launchFingerprint } from "../../model/launch.js";
import type { PolicyInput } from "../../model/policy-rule.js";
import { buildPolicy, type Policy } from "../../policy/build-policy.js";
import type { FormerServers } from "../../policy/compile-rule.js";
import {
  type AskDecision,
  type CallAnswer,
  type CallDecision,
  decideCall,
  NO_DECISION,
  type PolicyDecision,
  type StandingState,
  type StandingSubject,
} from "../../policy/decide-call.js";
import { buildFormerNames, buildFormerServers } from "../../policy/former-names.js";
import type { DecisionStore } from "../../store/store.js";
import { canBeAsked } from "../approvals/approval-request.js";
import { askApproval } from "../approvals/ask-approval.js";
import { createPendingRequests, type PendingRequests } from "../approvals/pending-requests.js";
import { createQuarantine, keysOf, type Quarantine } from "../approvals/quarantine.js";
import {
  bindCall,
  createCallGrants,
  createStandingApprovals,
  type StandingApprovals,
} from "../approvals/standing-approvals.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { digestOf } from "../catalog/name-lock.js";
import type { ResumableCall } from "../forward/resumable-call.js";
import { createSuspendedCalls, type SuspendedCalls } from "../forward/suspended-calls.js";
import type { GatewaySettings } from "../settings.js";
import { createCallerAccess, createCallerVisibility, subjectOf } from "../visibility/caller-visibility.js";
import {
  blankRecord,
  type CallAudit,
  type CallAuditOptions,
  createCallAudit,
  deniedRecord,
  outcomeRecord,
} from "./call-audit.js";
import type { DecidedCall, FinalDecision, Guard, GuardedCall } from "./guard.js";
import { keyUnderId } from "./guarded-item.js";
import { idleRuleSteps } from "./idle-rules.js";
import { refuseUnreadable } from "./sent-name.js";

export interface GuardOptions extends CallAuditOptions {
  readonly policy: PolicyInput & {
    readonly ask: { readonly when: "wait" | "fail"; readonly waitMs: number };
  };
  readonly renames: GatewaySettings["renames"];
  /** The servers, with the ids that they had before. */
  readonly sources: Parameters<typeof buildFormerServers>[0];
  /**
   * Clients that nothing proves to be the user's may be asked for their user's approval. Otherwise an operator is asked:
   * a server that is kept from Onym's files could connect as such a client, and approve its own calls. Default: true.
   */
  readonly asksAnonymous?: boolean;
  /** Calls of one caller that may wait for its answer to an approval request (SAFE-5). */
  readonly maxSuspended: number;
  readonly store: DecisionStore;
}

/** Reads the approvals in force before it resolves, so that every call is decided with them. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { store, log, now } = options;
  const names = new LatestNames();
  const formerServers = buildFormerServers(options.sources, () => names.locks);
  const policy = buildPolicy(options.policy, {
    formerNames: buildFormerNames(options.renames, {
      lineageOf: (tool) => names.lineageOf(tool),
      formerServers,
    }),
    formerPrompts: buildFormerNames([], {
      lineageOf: (prompt) => names.promptLineageOf(prompt),
      formerServers,
    }),
    formerServers,
  });
  const { newTools = "allow" } = options.policy;
  const quarantine =
    newTools === "allow" ? undefined : await createQuarantine({ store, log, now, formerServers });
  const standing = await createStandingApprovals({ store, now, log });
  return new PolicyGuard(options, { names, policy, formerServers, quarantine, standing });
}

/**
 * From the latest view, also for tools of an earlier one: while a call waited, its server may have listed a former name
 * again, and what is approved under it is no longer approved of the tool that was called.
 */
class LatestNames {
  lineageOf: GatewaySnapshot["tools"]["lineageOf"] = ({ key }) => ({ key, former: [], later: [], line: [] });
  promptLineageOf = this.lineageOf;
  locks: readonly Pick<Lock, "tools">[] = [];

  adopt({ tools, prompts }: GatewaySnapshot): void {
    this.locks = [tools.lock, prompts.lock];
    this.lineageOf = tools.lineageOf;
    this.promptLineageOf = prompts.lineageOf;
  }
}

interface GuardParts {
  readonly names: LatestNames;
  readonly policy: Policy;
  readonly formerServers: FormerServers;
  /** Where policy allows new tools, the guard does not track which tools are new. */
  readonly quarantine: Quarantine | undefined;
  readonly standing: StandingApprovals;
}

class PolicyGuard implements Guard {
  readonly visibility: Guard["visibility"];
  readonly access: Guard["access"];
  readonly recordIntent: Guard["recordIntent"];
  readonly keepsArguments: boolean;
  readonly #options: GuardOptions;
  readonly #names: LatestNames;
  readonly #policy: Policy;
  readonly #formerServers: FormerServers;
  readonly #quarantine: Quarantine | undefined;
  readonly #standing: StandingApprovals;
  readonly #audit: CallAudit;
  readonly #suspended: SuspendedCalls;
  readonly #grants = createCallGrants();
  readonly #requests: PendingRequests;
  /** What was said of rules that are about nothing. */
  readonly #toldRules = new Set<string>();
  /**
   * Aborted when a new guard replaces this one: pending approval requests belong to a policy that is no longer in
   * force.
   */
  readonly #closing = new AbortController();

  constructor(options: GuardOptions, { names, policy, formerServers, quarantine, standing }: GuardParts) {
    this.#options = options;
    this.#names = names;
    this.#policy = policy;
    this.#formerServers = formerServers;
    this.#quarantine = quarantine;
    this.#standing = standing;
    this.#requests = createPendingRequests(options.store.approvals);
    this.#audit = createCallAudit(options);
    this.#suspended = createSuspendedCalls({
      maxOwn: () => options.maxSuspended,
      judgesDefinition: true,
      onRefused: (call) => this.#recordOtherState(call),
    });
    this.visibility = createCallerVisibility({ policy, isNewIn: quarantine?.isNewIn });
    this.access = createCallerAccess(policy);
    this.recordIntent = this.#audit.recordIntent;
    this.keepsArguments = this.#audit.keepsArguments;
  }

  // See: what a view holds, and what callers see of it.

  readonly adoptSnapshot: Guard["adoptSnapshot"] = (snapshot) => {
    this.#names.adopt(snapshot);
    this.#quarantine?.recordTools(snapshot);
  };

  readonly prepareSteps: Guard["prepareSteps"] = ({ tools }) => this.#policy.matchSteps(tools.catalog.tools);

  readonly toolsRecorded: Guard["toolsRecorded"] = async () => this.#quarantine?.toolsRecorded();

  readonly watch: Guard["watch"] = (listener) => {
    // Tools that need approval stay visible, so only "deny" changes what callers see.
    if (this.#options.policy.newTools === "deny") this.#quarantine?.changes.add(listener);
  };

  readonly problemSteps: Guard["problemSteps"] = (snapshot) =>
    idleRuleSteps(this.#policy, snapshot, this.#toldRules);

  // Decide: by rules, then by standing approvals.

  readonly decide: Guard["decide"] = (call) => {
    const isGranted = this.#grants.take(call);
    const decision = this.#decide(call);
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
  };

  readonly reconsider: Guard["reconsider"] = (call) => {
    const decision = this.#decide(call);
    if (decision.kind === "deny" || (decision.kind === "allow" && decision.isOnce !== true))
      return { kind: decision.kind };
    const { tool, launch, digest } = bindCall(call);
    return {
      kind: "ask",
      mark: JSON.stringify([tool, launch, digest, this.#standing.lastId(this.#standingSubjectOf(call))]),
    };
  };

  readonly refresh: Guard["refresh"] = () => this.#standing.refresh();

  readonly watchApprovals: Guard["watchApprovals"] = (listener) => void this.#standing.changes.add(listener);

  #decide(call: DecidedCall, answer?: CallAnswer): CallDecision {
    return decideCall({
      policy: this.#decideByPolicy(call),
      binding: bindCall(call),
      standing: this.#standingOf(call),
      answer,
    });
  }

  #standingOf(call: DecidedCall): StandingState {
    // Former names and ids are looked up only for callers with decisions.
    if (!this.#standing.has(call.caller.principal)) return NO_DECISION;
    return this.#standing.find(this.#standingSubjectOf(call));
  }

  /** After an approval request: on the target as it is then, which may have changed. */
  readonly #decideNow = (call: GuardedCall, answer?: CallAnswer): CallDecision =>
    this.#decide({ ...call, target: call.targetNow() ?? call.target }, answer);

  #decideByPolicy({ target, caller, launch }: DecidedCall): PolicyDecision {
    if (target.kind !== "tool") return this.#policy.decideItem(target, subjectOf(caller));
    const isNew = (tool: Tool): boolean =>
      this.#quarantine?.isNew(keysOf(tool, this.#names.lineageOf(tool)), launch) === true;
    return this.#policy.decide(target.identity, subjectOf(caller), isNew);
  }

  #standingSubjectOf({ target, caller: { principal } }: DecidedCall): StandingSubject {
    const tool = target.identity.key;
    const underFormerIds = this.#formerServers
      .idsOf(target.identity)
      .map((server) => keyUnderId(target, server));
    const { former, later, line } =
      target.kind === "tool" ? this.#names.lineageOf(target.identity) : NO_LINEAGE;
    return line.length === 0
      ? { principal, tool, underFormerIds }
      : {
          principal,
          tool,
          underFormerIds,
          lineage: { former: former.map(keyOf), later: later.map(keyOf), line: line.map(keyOf) },
        };
  }

  // Ask: the user or an operator.

  readonly asksByReply: Guard["asksByReply"] = ({ isUnasked, caller }, { kind }) =>
    kind === "ask" &&
    isUnasked !== true &&
    caller.era === "modern" &&
    canBeAsked(caller.capabilities) &&
    this.#mayApprove(caller);

  /** Whether an answer of its client is one of its user. */
  #mayApprove({ isAnonymous }: Caller): boolean {
    return isAnonymous !== true || this.#options.asksAnonymous !== false;
  }

  readonly suspend: Guard["suspend"] = (call, work) =>
    this.#suspended.begin(call, call.requestContext, ({ signal, notify, sendRequest }) =>
      work({ ...call, requestContext: { ...call.requestContext, signal, notify, sendRequest } }),
    );

  readonly resume: Guard["resume"] = (call) => {
    const { requestState: state } = call.params;
    return typeof state === "string" && this.#suspended.has(state)
      ? this.#suspended.resume(call, call.requestContext, state)
      : undefined;
  };

  readonly ask: Guard["ask"] = async (call, decision) => {
    if (call.isUnasked === true) return decision;
    const { store, log, now, policy } = this.#options;
    const signal = AbortSignal.any([toAbortSignal(call.requestContext.signal), this.#closing.signal]);
    const sendRequest = this.#mayApprove(call.caller) ? call.requestContext.sendRequest : undefined;
    const ports = {
      ...{ store, standing: this.#standing, toolsRecorded: this.toolsRecorded, log, now },
      requests: this.#requests,
      record: this.#audit.record,
      decide: this.#decideNow,
      when: policy.ask,
    };
    try {
      const decided = await askApproval({ call, decision, sendRequest, signal }, ports);
      // Nobody approved a call of something that is not there.
      return decided.kind === "allow" && call.targetNow() === undefined
        ? { kind: "deny", rule: decided.rule, reason: "gone" }
        : decided;
    } catch (error) {
      return this.#undecided(call, decision, error);
    }
  };

  readonly useOnce: Guard["useOnce"] = async (call, allowed) => {
    const { store, now } = this.#options;
    let decision: FinalDecision = allowed;
    while (decision.kind === "allow" && decision.isOnce === true && typeof decision.approval === "number") {
      try {
        if (await store.approvals.revoke(decision.approval, now())) return decision;
        await this.#standing.refresh();
      } catch (error) {
        const asked = { kind: "ask", rule: decision.rule, reason: "undecided", what: [] } as const;
        return this.#undecided(call, asked, error);
      }
      // Another call was first.
      const again = this.#decideNow(call);
      decision = again.kind === "ask" ? await this.ask(call, again) : again;
    }
    return decision;
  };

  #undecided(call: GuardedCall, ask: AskDecision, error: unknown): FinalDecision {
    const { canonical, key: toolKey } = call.target.identity;
    this.#audit.failures.failed("decisions cannot be stored", error, { canonical, toolKey });
    return { kind: "undecided", ask, error };
  }

  // Record: what became of a call, and what was refused.

  readonly recordOutcome: Guard["recordOutcome"] = ({ call, decision, entry }, outcome) => {
    // Not awaited: only the intent has to be on record before the reply.
    if (entry !== undefined) this.#audit.recordLater(outcomeRecord(entry, outcome, this.#options.now()));
    // A standing approval covers the call's next request by itself, unless it was for one call.
    const isUsedUp = decision.approval === "call" || decision.isOnce === true;
    if (isUsedUp && outcome !== undefined) this.#grants.give(call, outcome);
  };

  readonly refuse: Guard["refuse"] = async ({ caller, sent, outcome, denied }) => {
    const blank = this.#blankRecord({ caller, sent });
    if (denied === undefined) return this.#audit.recordLater({ ...blank, decision: "refused", outcome });
    // The time to explain a refusal must not tell a hidden name from an unknown one. The digest was
    // computed for the lock; the rest runs after this turn (GW-6).
    await nextTurn();
    const { target } = denied;
    const launch = denied.launch === undefined ? "" : launchFingerprint(denied.launch);
    const { rule } = this.#decideByPolicy({ target, caller, launch });
    const definition = digestOf(target.identity.definition);
    await this.#audit.recordLater(deniedRecord(blank, target.identity, { rule, definition }));
  };

  #recordOtherState(call: ResumableCall): void {
    const { key: tool, canonical } = call.target.identity;
    const outcome = "another call's state";
    this.#audit.recordLater({ ...this.#blankRecord(call), tool, canonical, decision: "refused", outcome });
  }

  #blankRecord({ caller, sent }: Pick<GuardedCall, "caller" | "sent">): AuditRecord {
    return blankRecord({ call: randomUUID(), caller, sent, at: this.#options.now() });
  }

  readonly countFormer: Guard["countFormer"] = ({ caller, sent, lineage }) => {
    const { store, now } = this.#options;
    store.usage
      .count({ caller: caller.principal, name: sent, tool: lineage.key, at: now() })
      .catch((error: unknown) =>
        this.#audit.failures.failed("uses of former names cannot be counted", error),
      );
  };

  readonly close = async (): Promise<void> => {
    this.#closing.abort();
    this.#standing.close();
    this.#quarantine?.close();
    this.#suspended.closeAll();
  };
}

function keyOf({ key }: { readonly key: ToolKey }): ToolKey {
  return key;
}

const NO_LINEAGE = { former: [], later: [], line: [] } as const;
