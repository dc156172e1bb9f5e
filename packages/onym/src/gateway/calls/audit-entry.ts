// Builds the audit records of a call: one before it runs, one with its outcome (POL-4).

import { hash, randomUUID } from "node:crypto";
import type { Tool } from "@onym/core";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Reply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import type { CallDecision } from "../../policy/decide-call.js";
import { bindCall } from "../approvals/standing-approvals.js";
import type { Caller } from "../caller.js";
import type { GuardedCall } from "./guard.js";

/** A record without a decision yet. */
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

/** A call of a tool that is hidden from the caller. The record names the real tool (POL-7). */
export function deniedRecord(
  blank: AuditRecord,
  { tool, rule, definition }: { readonly tool: Tool; readonly rule: string; readonly definition: string },
): AuditRecord {
  const { key, canonical } = tool;
  return { ...blank, tool: key, canonical, rule, decision: "deny", definition, outcome: "policy" };
}

/**
 * The first record of a decided call: an intent or a refusal. It holds a digest of the arguments unless the
 * config keeps them in full.
 */
export function decidedRecord(
  call: GuardedCall,
  decision: CallDecision,
  { id, at, keepArguments }: { readonly id: string; readonly at: number; readonly keepArguments: boolean },
): AuditRecord {
  const { caller, tool } = call;
  // Every field is spelled out, here and below: each call makes two records, and a literal is cheaper than a
  // spread.
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

/** Subscriptions and completions are recorded with a prefix that says so. */
function recordedAs({ tool, method }: Pick<GuardedCall, "tool" | "method">): string {
  const prefix = METHODS.get(method)?.auditPrefix;
  return prefix === undefined ? tool.canonical : `${prefix} ${tool.canonical}`;
}

function argumentsOf({ params }: GuardedCall): unknown {
  return params["arguments"] ?? {};
}

/** The arguments, byte for byte as they are forwarded. */
function argumentsTextOf(call: GuardedCall): string | Buffer {
  const args = argumentsOf(call);
  const { argumentsText } = call;
  return argumentsText !== undefined && argumentsText.of === args ? argumentsText.text : JSON.stringify(args);
}

/** The answer to an approval question: for this call only, or a standing approval with its id. */
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

/**
 * The outcome of an intent. It repeats only the fields that a printed line needs; the intent has the rest.
 */
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

/** Longer names are recorded by their start, length and digest. */
const MAX_RECORDED_LENGTH = 512;
const RECORDED_START = 200;

/** A name as a client sent it, as records, logs and spans hold it. */
export function recordedName(name: unknown): string {
  const text = typeof name === "string" ? name : (JSON.stringify(name) ?? "");
  if (text.length <= MAX_RECORDED_LENGTH) return text;
  const digest = hash("sha256", text).slice(0, 16);
  return `${text.slice(0, RECORDED_START)}… (${text.length} characters, sha256 ${digest})`;
}
