// The guard between a resolved name and its server: what a caller may see, what it may run, and the audit
// records.

import type { CatalogProblem, Tool, ToolLineage } from "@onym/core";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Reply, ValueText } from "../../mcp/message.js";
import type { Launch } from "../../model/launch.js";
import type { Steps } from "../../model/run-slices.js";
import type { PolicyItem } from "../../policy/compile-rule.js";
import type { AllowDecision, AskDecision, CallDecision } from "../../policy/decide-call.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { RequestContext } from "../router.js";
import type { AccessOf, VisibilityOf } from "../visibility/visibility.js";

/** The result for a call before it is recorded: a decision, or none because the store failed. */
export type FinalDecision =
  | CallDecision
  | RefusedDecision
  | { readonly kind: "undecided"; readonly ask: AskDecision; readonly error: unknown };

export type RefusedDecision = Exclude<CallDecision, { readonly kind: "allow" }> & {
  /** The id of the approval request that waits for an operator. */
  readonly pending?: number;
  /** As many approval requests wait as may, so this one does not. */
  readonly full?: { readonly limit: "callerApprovals" | "approvals"; readonly max: number };
};

/** Either the call is on record and may be forwarded, or this is the reply that refuses it. */
export type Intent = { readonly kind: "refused"; readonly reply: Reply } | RecordedIntent;

interface RecordedIntent {
  readonly kind: "recorded";
  readonly call: GuardedCall;
  readonly decision: AllowDecision;
  readonly entry: AuditRecord | undefined;
}

/** The reply, or why a call that was allowed was not sent after all. */
export type CallEnd = Reply | RefusedDecision;

export interface Guard {
  /** The tools of a view that this caller sees; equal keys mean equal tools. `undefined`: all of them. */
  readonly visibility: VisibilityOf;
  /** The prompts and resources of a view that this caller sees; `undefined`: all of them (POL-9). */
  readonly access: AccessOf;
  /** The reply to a request that answers an approval request in an earlier reply; `undefined` for any other request. */
  readonly resume: (call: GuardedCall) => Promise<Reply> | undefined;
  /**
   * Decides by rules, then by standing approvals. Continue with the returned call: it forwards exactly what
   * people are shown.
   */
  readonly decide: (call: GuardedCall) => { readonly call: GuardedCall; readonly decision: CallDecision };
  /** Whether the client must be asked and the only way is the reply to its request (2026-07-28). */
  readonly asksByReply: (call: GuardedCall, decision: CallDecision) => boolean;
  /**
   * Starts the work and replies with the first request it makes of the client. The client's next request continues the work
   * and gets its result. The work runs at most once.
   */
  readonly suspend: (call: GuardedCall, work: (call: GuardedCall) => Promise<Reply>) => Promise<Reply>;
  /** Asks the user or an operator, unless a decision arrived in the meantime. */
  readonly ask: (call: GuardedCall, ask: AskDecision) => Promise<FinalDecision>;
  /** Uses up an approval that is for one call. Where another call was first, asks again. */
  readonly useOnce: (call: GuardedCall, allowed: AllowDecision) => Promise<FinalDecision>;
  /** Records the decision before anything is forwarded (POL-4). */
  readonly recordIntent: (call: GuardedCall, decision: FinalDecision) => Promise<Intent> | Intent;
  /** Records what became of a call; `undefined`: it failed. Does not block the reply. */
  readonly recordOutcome: (intent: RecordedIntent, outcome: CallEnd | undefined) => void;
  /**
   * Decides again on what goes on after its request: updates of a resource, a call that waits for its client. Uses up no
   * approval.
   */
  readonly reconsider: (call: DecidedCall) => OngoingDecision;
  /** Resolves when the decisions that the store holds are in force here, whoever made them. */
  readonly refresh: () => Promise<void>;
  /** Calls the listener after approvals have changed. */
  readonly watchApprovals: (listener: () => void) => void;
  /** Call before a view is shown: starts to record its tools where that decides which tools are new. */
  readonly adoptSnapshot: (snapshot: GatewaySnapshot) => void;
  /** Call after `adoptSnapshot` for a large view: does in steps what the visibility of any caller needs (SAFE-4). */
  readonly prepareSteps: (snapshot: GatewaySnapshot) => Steps<void>;
  /** Resolves when every tool of an adopted snapshot is on record, or cannot be recorded now. */
  readonly toolsRecorded: () => Promise<void>;
  /** Calls the listener when callers may see a different part of the same view. */
  readonly watch: (listener: () => void) => void;
  /** Rules that match nothing, each told once (POL-5). */
  readonly problemSteps: (snapshot: GatewaySnapshot) => Steps<readonly CatalogProblem[]>;
  /** Records a call that resolved to nothing. Resolves when that is done, or has failed. */
  readonly refuse: (refused: RefusedCall) => Promise<void> | undefined;
  /** Counts a call by a former name, to show which callers still use it (LOCK-2). */
  readonly countFormer: (use: FormerCall) => void;
  /** The arguments are recorded in full, so exactly the recorded arguments must be forwarded. */
  readonly keepsArguments: boolean;
  readonly close: () => Promise<void>;
}

export type OngoingDecision =
  | { readonly kind: "allow" }
  | {
      readonly kind: "deny";
      /** No rule denies it, but its server is no longer there, or started in another way. */
      readonly reason?: "gone";
    }
  | {
      /** Only what was approved for this once: the subscription of a session, or the call. */
      readonly kind: "ask";
      /** What that approval is for. Another one after each later decision on the same, so that it ends then. */
      readonly mark: string;
    };

/** The fields that a decision depends on. */
export type DecidedCall = Pick<GuardedCall, "target" | "launch" | "caller">;

/** Forwards a call to its server with its current arguments, unless `recheck` refuses it by then. */
export type Forward = (call: GuardedCall, recheck: Recheck) => Promise<Reply>;

/** The reply that refuses a call just before it is sent; `undefined` if what is decided about it now lets it go on. */
export type Recheck = (now: OngoingDecision) => Reply | undefined;

/** What a call is for: a tool, which is its own identity, or a prompt or resource (POL-9). */
export type GuardedTarget = GuardedTool | GuardedItem;

interface GuardedTool {
  readonly kind: "tool";
  readonly identity: Tool;
}

/** The prompt or resource as rules know it, with its identity. */
export type GuardedItem<Kind = PolicyItem["kind"]> = Extract<PolicyItem, { readonly kind: Kind }> & {
  readonly identity: TargetIdentity;
};

/** What approvals, audit records and texts for people know a target by. No two targets share a key. */
export type TargetIdentity = Pick<Tool, "key" | "server" | "toolbox" | "definition"> & {
  readonly canonical: string;
};

/** A tool call, or a request for a prompt or resource. */
export interface GuardedCall {
  readonly target: GuardedTarget;
  /** The MCP method. */
  readonly method: string;
  /** Never ask about this call: it runs if it is allowed now, or not at all. */
  readonly isUnasked?: boolean;
  /**
   * The target as it is now; `undefined`: its server no longer offers it. After an approval, it must still be the one that
   * was shown (POL-3).
   */
  readonly targetNow: () => GuardedTarget | undefined;
  readonly launch: string;
  /** When its request arrived, in `ForwardPorts.epoch`. */
  readonly epoch: number;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
  /** The name as the client sent it, for people. */
  readonly sent: string;
  /** The params of the request. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The raw JSON of `arguments`. */
  readonly argumentsText?: ValueText | undefined;
}

interface FormerCall {
  readonly caller: Caller;
  readonly sent: string;
  readonly tool: Tool;
  readonly lineage: ToolLineage;
}

interface RefusedCall {
  readonly caller: Caller;
  readonly sent: string;
  /** What the reply said. */
  readonly outcome: string;
  /** What the name means, with its server's launch. The reply does not reveal it (POL-7). */
  readonly denied?: { readonly target: GuardedTarget; readonly launch: Launch | undefined } | undefined;
}

const ALLOWED = { kind: "allow", rule: "default" } as const;

/** The guard without policy and store: every call runs, none is recorded. */
export const OPEN_GUARD: Guard = {
  visibility: () => undefined,
  access: () => undefined,
  resume: () => undefined,
  decide: (call) => ({ call, decision: ALLOWED }),
  asksByReply: () => false,
  suspend: (call, work) => work(call),
  ask: async (_, ask) => ask,
  useOnce: async (_, allowed) => allowed,
  recordIntent: (call) => ({ kind: "recorded", call, decision: ALLOWED, entry: undefined }),
  recordOutcome: () => {},
  reconsider: () => ALLOWED,
  refresh: async () => {},
  watchApprovals: () => {},
  adoptSnapshot: () => {},
  *prepareSteps() {},
  toolsRecorded: async () => {},
  watch: () => {},
  // biome-ignore lint/correctness/useYield: there is nothing to find.
  *problemSteps() {
    return [];
  },
  refuse: () => undefined,
  countFormer: () => {},
  keepsArguments: false,
  close: async () => {},
};
