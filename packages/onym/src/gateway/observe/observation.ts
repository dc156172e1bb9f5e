// One request in flight: collects what the call pipeline learns about it, and reports it at the end.

import type { Resolution, Resolved, Snapshot, Tool } from "@onym/core";
import { shortMember } from "../../mcp/fast-path/unread-object.js";
import { copyStart, copyText, ownValue } from "../../mcp/json.js";
import type { Reply, RequestId, RpcRequest } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES } from "../../mcp/protocol.js";
import type {
  CallOutcome,
  CallPhases,
  CallReport,
  CallSink,
  RefusalReason,
  ReportedTool,
} from "../../model/call-report.js";
import type { Log } from "../../model/log.js";
import type { CallDecision } from "../../policy/decide-call.js";
import type { Caller } from "../caller.js";

/** The reported part of a resolution. */
type Found =
  | {
      readonly kind: "found";
      readonly tool: Tool;
      readonly resolved: Resolved;
      readonly view: { readonly snapshot: { readonly tools: Pick<Snapshot, "lineageOf"> } };
    }
  | {
      readonly kind: "refused";
      readonly resolution: Resolution;
      readonly denied?: { readonly tool: Tool } | undefined;
    };

type ReportedDecision = CallDecision | { readonly kind: "undecided" };

let lastId = 0;

/** Its members are `private`, not `#`: one is created for every request, and Node 20 initializes `#` members slowly. */
export class Observation {
  readonly id = ++lastId;
  readonly at = Date.now();
  readonly trace: string | undefined;
  private readonly begun = performance.now();
  private readonly request: RpcRequest;
  private readonly caller: Caller;
  private readonly phases: Mutable<CallPhases> = {
    resolve: undefined,
    decide: undefined,
    ask: undefined,
    record: undefined,
    server: undefined,
  };
  private sent: string | undefined;
  private tool: ReportedTool | undefined;
  private hidden: Tool | undefined;
  private step: string | undefined;
  private isDeprecated = false;
  private decision: string | undefined;
  private rule: string | undefined;
  private reason: RefusalReason | undefined;
  private call: string | undefined;

  constructor(request: RpcRequest, caller: Caller, trace: string | undefined) {
    this.request = request;
    this.caller = caller;
    this.trace = trace;
  }

  /** For log lines that belong to this request. */
  get facts(): { readonly request: string; readonly trace: string | undefined } {
    return { request: String(ownId(this.request.id)), trace: this.trace };
  }

  /** The resolution of a name, whichever method used it. */
  resolved(found: Found, sent: string): void {
    this.phases.resolve = this.elapsedUs();
    if (found.kind === "found") {
      const { tool, resolved, view } = found;
      const known = knownAs(tool, view.snapshot.tools.lineageOf(tool).key, sent);
      this.step = resolved.step;
      this.isDeprecated = resolved.successor !== undefined && resolved.warnings.length > 0;
      this.tool = known.tool;
      this.sent = known.sent;
      return;
    }
    const { resolution, denied } = found;
    this.sent = ownText(sent);
    this.step = resolution.outcome;
    this.hidden = denied?.tool;
    if (resolution.outcome !== "resolved") this.reason = denied === undefined ? resolution.outcome : "policy";
    else this.reason = "store";
  }

  /** It concerns a prompt, a resource, or one of the gateway's own tools. */
  about(sent: string): void {
    this.sent ??= ownText(sent);
  }

  decided({ kind, rule }: { readonly kind: string; readonly rule: string }): void {
    this.phases.decide = this.elapsedUs();
    this.decision = kind;
    this.rule = rule;
  }

  /** Call after an approval request. */
  concluded(decision: ReportedDecision): void {
    this.phases.ask = this.elapsedUs();
    if (decision.kind === "undecided") return;
    this.decision = decision.kind === "allow" && decision.approval !== undefined ? "approved" : decision.kind;
    this.rule = decision.rule;
  }

  refused(decision: ReportedDecision): void {
    this.phases.record = this.elapsedUs();
    this.reason = reasonOf(decision);
  }

  recorded(call: string | undefined): void {
    this.phases.record = this.elapsedUs();
    this.call = call;
    // An unknown name may still be passed through.
    this.reason = undefined;
  }

  replied(): void {
    this.phases.server = this.elapsedUs();
  }

  end(reply: Reply, isAborted: boolean): CallReport {
    const { method, id } = this.request;
    const { principal, confinedTo, profile } = this.caller;
    const outcome = isAborted ? "cancelled" : this.reason === undefined ? outcomeOf(reply) : "refused";
    const code = reply.kind === "error" ? reply.error.code : undefined;
    return {
      id: this.id,
      method: copyStart(method, MAX_METHOD),
      at: this.at,
      ms: performance.now() - this.begun,
      request: ownId(id),
      trace: this.trace,
      call: this.call,
      principal,
      confinedTo,
      client: clientName(this.caller),
      profile: profile.id,
      sent: this.sent,
      tool: this.tool,
      hidden: this.hidden,
      step: this.step,
      isDeprecated: this.isDeprecated,
      decision: this.decision,
      rule: this.rule,
      outcome: outcome === "error" && isTheirs(code) ? "refused" : outcome,
      reason: this.reason ?? (outcome === "error" ? errorReason(reply, code) : undefined),
      code,
      phases: this.phases,
    };
  }

  private elapsedUs(): number {
    return Math.round((performance.now() - this.begun) * 1000);
  }
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

interface KnownTool {
  /** The same object for the same tool, so that counters can key on it. */
  readonly tool: ReportedTool;
  /** The name it was last called by: reports of most calls share the text. */
  sent: string;
}

const known = new WeakMap<Tool, KnownTool>();

function knownAs(tool: Tool, key: string, sent: string): KnownTool {
  const before = known.get(tool);
  if (before?.tool.key === key) {
    if (before.sent !== sent) before.sent = ownText(sent);
    return before;
  }
  const { canonical, server, toolbox } = tool;
  const made = { tool: { key, canonical, server, toolbox }, sent: ownText(sent) };
  known.set(tool, made);
  return made;
}

/** Reports are kept for long, and a text that was cut from a message keeps the whole message. */
function ownText(text: string): string {
  const own = copyText(text);
  // A text with half a surrogate pair cannot be copied. None is cut from a message: JSON has those as escapes.
  return own === text ? own : text;
}

function reasonOf(decision: ReportedDecision): RefusalReason {
  switch (decision.kind) {
    case "deny":
      if (decision.reason === "gone") return "retired";
      return decision.reason === "policy" ? "policy" : "rejected";
    case "ask":
      return "not-approved";
    default:
      return "store";
  }
}

/** What a reply says became of its request, for reports, audit records and spans. */
export function outcomeOf(reply: Reply): Exclude<CallOutcome, "cancelled" | "refused"> {
  if (reply.kind === "error") return "error";
  if (reply.kind !== "result") return "result";
  // Only unparsed results are bytes.
  const memberOf = typeof reply.text === "object" ? shortMember : ownValue;
  if (memberOf(reply.result, "isError") === true) return "tool_error";
  return memberOf(reply.result, "resultType") === "input_required" ? "input_required" : "result";
}

/** Errors that the request itself caused. */
function isTheirs(code: number | undefined): boolean {
  return code === CODES.invalidParams || code === CODES.invalidRequest || code === CODES.methodNotFound;
}

function errorReason(reply: Reply, code: number | undefined): RefusalReason | undefined {
  if (isTheirs(code)) return "invalid";
  return reply.kind === "error" && reply.trouble !== undefined ? "server-down" : undefined;
}

/** What clients choose is reported up to these lengths. */
const MAX_ID = 64;
const MAX_METHOD = 200;
const MAX_CLIENT_NAME = 200;

function ownId(id: RequestId): RequestId {
  return typeof id === "number" ? id : ownText(copyStart(id, MAX_ID));
}

/**
 * Logs each refusal once, with its reason and the ids that find the request in the client's log and in a
 * trace.
 */
export function createRefusalLog(log: Log): CallSink {
  return {
    ended({ reason, outcome, method, request, trace, call, principal, client, sent, tool, rule }) {
      if (outcome !== "refused") return;
      log("info", "request refused", {
        reason: reason ?? "invalid",
        method,
        request: String(request),
        trace,
        call,
        caller: principal,
        client,
        name: sent,
        canonical: tool?.canonical,
        toolKey: tool?.key,
        rule,
      });
    },
  };
}

interface CallCounts {
  readonly total: number;
  readonly errors: number;
  readonly refused: number;
}

export interface CallTotals extends CallSink {
  readonly read: () => CallCounts;
}

export function createCallTotals(): CallTotals {
  let [total, errors, refused] = [0, 0, 0];
  return {
    ended({ method, outcome }) {
      if (METHODS.get(method)?.runsTool !== true) return;
      total += 1;
      if (outcome === "refused") refused += 1;
      else if (outcome === "error" || outcome === "tool_error") errors += 1;
    },
    read: () => ({ total, errors, refused }),
  };
}

export function clientName({ clientInfo }: Pick<Caller, "clientInfo">): string {
  const name = clientInfo?.["name"];
  return typeof name === "string" ? copyStart(name, MAX_CLIENT_NAME) : "unknown";
}
