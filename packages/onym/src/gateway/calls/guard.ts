// What stands between a resolved name and its downstream: what a caller may see, what it may run, and the record of it.

import type { CatalogProblem, Resolution, StructuredName, Tool, ToolLineage } from "@onym/core";
import type { ValueText } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { Launch } from "../../model/launch.js";
import type { PolicyItem } from "../../policy/build-policy.js";
import type { AskDecision, CallDecision } from "../../policy/decide-call.js";
import type { AuditRecord } from "../../store/store.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { RequestContext } from "../router.js";
import type { AccessOf } from "../visibility/caller-access.js";

/** What became of a call before it is recorded: a decision, or that there is none because the store failed. */
export type Settled =
  | CallDecision
  | Refusal
  | { readonly kind: "undecided"; readonly ask: AskDecision; readonly error: unknown };

/** On record, so it may be forwarded; or the answer to a call that may not. */
export type Intent =
  | { readonly kind: "refused"; readonly reply: Reply }
  | {
      readonly kind: "recorded";
      readonly call: GuardedCall;
      readonly decision: CallDecision & { readonly kind: "allow" };
      readonly entry: AuditRecord | undefined;
    };

export interface Guard {
  /** What this caller sees of a view; the same key, the same tools. `undefined`: everything. */
  readonly visibility: (snapshot: GatewaySnapshot, caller: Caller) => Visibility | undefined;
  /** What this caller may see of a view beside tools; `undefined`: everything (POL-9). */
  readonly access: AccessOf;
  /**
   * Decides by policy and approvals, and does the work with the decision. A client that can only be asked in the answer
   * to a request gets that answer; the work goes on with its next request. Done at most once.
   */
  readonly attend: (
    call: GuardedCall,
    work: (call: GuardedCall, decision: CallDecision) => Promise<Reply>,
  ) => Promise<Reply>;
  /** Asks the user or an operator, unless somebody has decided meanwhile. */
  readonly ask: (call: GuardedCall, ask: AskDecision) => Promise<Settled>;
  /** Writes down what was decided, before anything is forwarded (POL-4). */
  readonly recordIntent: (call: GuardedCall, settled: Settled) => Promise<Intent> | Intent;
  /** Writes down what a call came to; `undefined`: it failed. Nobody waits for it. */
  readonly recordOutcome: (intent: Intent & { readonly kind: "recorded" }, reply: Reply | undefined) => void;
  /** Whether it would run now, without anybody being asked. */
  readonly allows: (call: Pick<GuardedCall, "tool" | "item" | "lineage" | "launch" | "caller">) => boolean;
  /** A view is about to be shown: what its downstreams list is on record soon, where that decides what is new. */
  readonly meet: (snapshot: GatewaySnapshot) => void;
  /** Resolves when all that was met is on record, or cannot be now. */
  readonly settled: () => Promise<void>;
  /** Told when callers may see something else of the same view. */
  readonly watch: (listener: () => void) => void;
  /** Rules that are about nothing there is (POL-5). */
  readonly problems: (snapshot: GatewaySnapshot) => readonly CatalogProblem[];
  /** Leaves a record of a call that led nowhere. */
  readonly refuse: (refused: RefusedCall) => void;
  /** Counts a call by a former name, so that it is known who still uses it (LOCK-2). */
  readonly countFormer: (use: FormerCall) => void;
  /** Arguments themselves go on record: what is recorded must be what is sent. */
  readonly keepsArguments: boolean;
  readonly close: () => Promise<void>;
}

export interface Visibility {
  readonly key: string;
  readonly sees: (tool: Tool) => boolean;
  /** What the caller may hear of a resolution: a hidden tool is answered as one that never was. */
  readonly hide: (input: string | StructuredName, resolution: Resolution) => Resolution;
}

/** Sends a call to its server, with the arguments that it holds by now. */
export type Forward = (call: Pick<GuardedCall, "requestContext" | "argumentsText">) => Promise<Reply>;

/** A call of a tool, or a request that is about a prompt or resource. */
export interface GuardedCall {
  readonly tool: Tool;
  /** The prompt or resource that `tool` stands for; absent for tools (POL-9). */
  readonly item?: PolicyItem;
  /** Of the request; `tools/call` where it is absent. */
  readonly method?: string;
  /** Nobody is asked about it: it runs where it may run as things stand, or not at all. */
  readonly isUnasked?: boolean;
  /** What it was before, by declared renames. */
  readonly lineage: ToolLineage;
  /** The same tool as it is now, for when somebody had to think: what is called must still be what was shown (POL-3). */
  readonly toolNow: () => Tool;
  readonly launch: string;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
  /** The name as it was sent, for people. */
  readonly sent: string;
  /** The params of the request. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The `arguments` among them as they came. */
  readonly argumentsText?: ValueText | undefined;
}

interface FormerCall {
  readonly caller: Caller;
  readonly sent: string;
  readonly tool: Tool;
  readonly lineage: ToolLineage;
}

/** A tool that the policy denies to a caller, and how its server is reached. */
export interface DeniedTool {
  readonly tool: Tool;
  /** The prompt or resource that it stands for. */
  readonly item?: PolicyItem;
  readonly launch: Launch | undefined;
}

interface RefusedCall {
  readonly caller: Caller;
  readonly sent: string;
  /** What the caller was told. */
  readonly outcome: string;
  /** What it was not told: the tool that the name means (POL-7). */
  readonly denied?: DeniedTool | undefined;
}

const ALLOWED = { kind: "allow", rule: "default" } as const;

/** No policy and no store: every call runs, and none is recorded. */
export const OPEN_GUARD: Guard = {
  visibility: () => undefined,
  access: () => undefined,
  attend: (call, work) => work(call, ALLOWED),
  ask: async (_, ask) => ask,
  recordIntent: (call) => ({ kind: "recorded", call, decision: ALLOWED, entry: undefined }),
  recordOutcome: () => {},
  allows: () => true,
  meet: () => {},
  settled: async () => {},
  watch: () => {},
  problems: () => [],
  refuse: () => {},
  countFormer: () => {},
  keepsArguments: false,
  close: async () => {},
};
export type Refusal = Exclude<CallDecision, { readonly kind: "allow" }> & {
  /** The question that was left for an operator. */
  readonly pending?: number;
};
