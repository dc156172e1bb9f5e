// The records of a call: what is known of it before it runs, and what it came to (POL-4).

import { hash, randomUUID } from "node:crypto";
import type { Tool } from "@onym/core";
import type { Reply } from "../../mcp/reply.js";
import type { CallDecision } from "../../policy/decide-call.js";
import type { AuditRecord } from "../../store/store.js";
import { bindCall } from "../approvals/bind-call.js";
import type { Caller } from "../caller.js";
import type { GuardedCall } from "./guard.js";

/** A record with nothing decided yet. */
export function blankRecord(input: {
  readonly call: string;
  readonly caller: Caller;
  readonly sent: string;
  readonly at: number;
}): AuditRecord {
  const { call, caller, sent, at } = input;
  return {
    kind: "refusal",
    at,
    call,
    caller: caller.principal,
    profile: caller.profile.id,
    sent,
    tool: undefined,
    canonical: undefined,
    rule: undefined,
    decision: undefined,
    definition: undefined,
    argumentsDigest: undefined,
    arguments: undefined,
    outcome: undefined,
    ms: undefined,
  };
}

/** A call of a tool that the caller is not told of: on record as what it is (POL-7). */
export function deniedRecord(
  blank: AuditRecord,
  { tool, rule, definition }: { readonly tool: Tool; readonly rule: string; readonly definition: string },
): AuditRecord {
  const { key, canonical } = tool;
  return { ...blank, tool: key, canonical, rule, decision: "deny", definition, outcome: "policy" };
}

/** The first record of a call that was decided: an intent, or a refusal. Arguments are a digest unless they are to be kept. */
export function decidedRecord(
  call: GuardedCall,
  decision: CallDecision,
  { id, at, keepArguments }: { readonly id: string; readonly at: number; readonly keepArguments: boolean },
): AuditRecord {
  const { caller, tool } = call;
  // Written out, here and below: to copy a record costs more than to make one, and there are two for every call.
  return {
    kind: decision.kind === "allow" ? "intent" : "refusal",
    at,
    call: id,
    caller: caller.principal,
    profile: caller.profile.id,
    sent: call.sent,
    tool: tool.key,
    canonical: recordedAs(call),
    rule: decision.rule,
    decision: describeDecision(decision),
    definition: bindCall(call).digest,
    argumentsDigest: hash("sha256", argumentsTextOf(call), "hex"),
    arguments: keepArguments ? argumentsOf(call) : undefined,
    outcome:
      decision.kind === "allow" ? undefined : decision.kind === "deny" ? decision.reason : "not approved",
    ms: undefined,
  };
}

/** What else than a call, a read or a get it was is said in front. */
function recordedAs({ tool, method }: Pick<GuardedCall, "tool" | "method">): string {
  switch (method) {
    case "resources/subscribe":
      return `subscription to ${tool.canonical}`;
    case "completion/complete":
      return `completion for ${tool.canonical}`;
    default:
      return tool.canonical;
  }
}

function argumentsOf({ params }: GuardedCall): unknown {
  return params["arguments"] ?? {};
}

/** The arguments as they are sent on, to the letter. */
function argumentsTextOf(call: GuardedCall): string | Buffer {
  const args = argumentsOf(call);
  const { argumentsText } = call;
  return argumentsText !== undefined && argumentsText.of === args ? argumentsText.text : JSON.stringify(args);
}

/** What somebody answered when they were asked about a call: about this one, or for good by the id of an approval. */
export function decisionRecord(
  call: GuardedCall,
  decided: {
    readonly verdict: "approved" | "rejected";
    readonly approval: number | undefined;
    readonly by: string;
    readonly at: number;
  },
): AuditRecord {
  const { verdict, approval, by, at } = decided;
  return {
    ...blankRecord({ call: randomUUID(), caller: call.caller, sent: call.sent, at }),
    kind: "decision",
    tool: call.tool.key,
    canonical: call.tool.canonical,
    rule: approval === undefined ? "this call" : `approval ${approval}`,
    decision: verdict,
    definition: bindCall(call).digest,
    outcome: `by ${by}`,
  };
}

/** What an intent came to, and as much of what it was about as a line for people shows: the rest is with the intent. */
export function outcomeRecord(intent: AuditRecord, reply: Reply | undefined, at: number): AuditRecord {
  return {
    kind: "outcome",
    at,
    call: intent.call,
    caller: intent.caller,
    profile: undefined,
    sent: intent.sent,
    tool: undefined,
    canonical: intent.canonical,
    rule: intent.rule,
    decision: intent.decision,
    definition: undefined,
    argumentsDigest: undefined,
    arguments: undefined,
    outcome: reply === undefined ? "failed" : outcomeOf(reply),
    ms: at - intent.at,
  };
}

function describeDecision(decision: CallDecision): string {
  if (decision.kind !== "allow") return decision.kind;
  return decision.approval === undefined ? "allow" : `approved ${decision.approval}`;
}

function outcomeOf(reply: Reply): string {
  if (reply.kind === "error") return `error ${reply.error.code}`;
  if (reply.kind !== "result") return "result";
  if (reply.result["isError"] === true) return "tool error";
  return reply.result["resultType"] === "input_required" ? "input required" : "result";
}
