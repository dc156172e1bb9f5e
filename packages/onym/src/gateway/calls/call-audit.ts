// The audit records of a call, one before it runs and one with its outcome (POL-4): writes them, builds them, and says what
// becomes of a call that cannot be recorded.

import { hash, randomUUID } from "node:crypto";
import { type AuditRecord, formatApprovalRule } from "../../audit/audit-record.js";
import { copyStart } from "../../mcp/json.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import type { Log } from "../../model/log.js";
import { OnymError, type OnymErrorCode } from "../../model/onym-error.js";
import type { CallDecision } from "../../policy/decide-call.js";
import type { AuditWriter } from "../../store/store.js";
import { bindCall } from "../approvals/standing-approvals.js";
import type { Caller } from "../caller.js";
import { describeError, RPC_CODES } from "../failure-codes.js";
import { outcomeOf } from "../observe/observation.js";
import { describeDecision } from "../tracing/describe-request.js";
import type { CallEnd, FinalDecision, Guard, GuardedCall, Intent, TargetIdentity } from "./guard.js";
import { refusedResult } from "./refused-result.js";

export interface CallAuditOptions {
  readonly audit: { readonly arguments: boolean; readonly onFailure: "deny" | "allow" };
  /** Outlives the guard: calls may still be in flight when a new guard replaces this one. */
  readonly writer: Pick<AuditWriter, "record" | "recordLater"> | undefined;
  readonly log: Log;
  readonly now: () => number;
  /** `--config FILE`, where commands would be about another config without it. */
  readonly config?: string | undefined;
}

export interface CallAudit extends Pick<Guard, "recordIntent" | "keepsArguments"> {
  /** Returns the refusal if the record cannot be written: an unrecorded call must not run. */
  readonly record: (entry: AuditRecord) => Promise<Reply | undefined>;
  /** Records without making a call wait. Resolves when that is done, or has failed. */
  readonly recordLater: (entry: AuditRecord) => Promise<void> | undefined;
  readonly failures: FailureLog;
}

const UNRECORDED = "The call cannot be recorded, so it was not made";
const UNDECIDED = "The decision about the call cannot be stored, so it was not made";

export function createCallAudit({ audit, writer, log, now, config }: CallAuditOptions): CallAudit {
  const failures = createFailureLog(log, now);
  const logFailure = (entry: AuditRecord, error: unknown): void =>
    failures.failed("calls cannot be recorded", error, { canonical: entry.canonical, toolKey: entry.tool });
  const record = async (entry: AuditRecord): Promise<Reply | undefined> => {
    try {
      await writer?.record(entry);
      failures.worked();
      return undefined;
    } catch (error) {
      logFailure(entry, error);
      return audit.onFailure === "allow" ? undefined : storeFailure(UNRECORDED, error);
    }
  };
  const recordDecided = async (call: GuardedCall, final: FinalDecision): Promise<Intent> => {
    const decision = final.kind === "undecided" ? final.ask : final;
    const { span } = call.requestContext;
    if (span !== undefined && final.kind !== "undecided") describeDecision(span, final.kind);
    const keepArguments = audit.arguments && final.kind !== "undecided";
    const entry = decidedRecord(call, decision, { id: randomUUID(), at: now(), keepArguments });
    const unrecorded = await record(entry);
    if (final.kind === "undecided") return { kind: "refused", reply: storeFailure(UNDECIDED, final.error) };
    if (final.kind !== "allow") return { kind: "refused", reply: refusedResult(call, final, config) };
    if (unrecorded !== undefined) return { kind: "refused", reply: unrecorded };
    return { kind: "recorded", call, decision: final, entry };
  };
  return {
    record,
    recordLater(entry) {
      return writer?.recordLater(entry).catch((error: unknown) => logFailure(entry, error));
    },
    recordIntent(call, final) {
      if (final.kind === "allow" && writer === undefined) {
        describeDecision(call.requestContext.span, final.kind);
        return { kind: "recorded", call, decision: final, entry: undefined };
      }
      return recordDecided(call, final);
    },
    failures,
    keepsArguments: audit.arguments && writer !== undefined,
  };
}

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

/** A call for something that is hidden from the caller. The record names what it is (POL-7). */
export function deniedRecord(
  blank: AuditRecord,
  { key, canonical }: Pick<TargetIdentity, "key" | "canonical">,
  { rule, definition }: { readonly rule: string; readonly definition: string },
): AuditRecord {
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
  const { caller, target } = call;
  // Every field is spelled out, here and below: each call makes two records, and a literal is cheaper than a
  // spread.
  return {
    kind: decision.kind === "allow" ? "intent" : "refusal",
    at,
    call: id,
    caller: caller.principal,
    profile: caller.profile.id,
    sent: call.sent,
    tool: target.identity.key,
    canonical: recordedAs(call),
    rule: decision.rule,
    decision: formatDecision(decision),
    definition: bindCall(call).digest,
    argumentsDigest: hash("sha256", argumentsTextOf(call), "hex"),
    arguments: keepArguments ? argumentsOf(call) : undefined,
    outcome:
      decision.kind === "allow" ? undefined : decision.kind === "deny" ? decision.reason : "not approved",
    ms: undefined,
  };
}

/** Subscriptions and completions are recorded with a prefix that says so. */
function recordedAs({ target, method }: Pick<GuardedCall, "target" | "method">): string {
  const prefix = METHODS.get(method)?.auditPrefix;
  const { canonical } = target.identity;
  return prefix === undefined ? canonical : `${prefix} ${canonical}`;
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

/** The answer to an approval request: for this call only, or a standing approval with its id. */
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
  const { key, canonical } = call.target.identity;
  return {
    ...blankRecord({ call: randomUUID(), caller: call.caller, sent: call.sent, at }),
    kind: "decision",
    tool: key,
    canonical,
    rule: approval === undefined ? "this call" : formatApprovalRule(approval),
    decision: verdict,
    definition: bindCall(call).digest,
    outcome: `by ${by}`,
  };
}

/**
 * The outcome of an intent. It repeats only the fields that a printed line needs; the intent has the rest.
 */
export function outcomeRecord(intent: AuditRecord, end: CallEnd | undefined, at: number): AuditRecord {
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
    outcome: end === undefined ? "failed" : formatOutcome(end),
    ms: at - intent.at,
  };
}

function formatDecision(decision: CallDecision): string {
  if (decision.kind !== "allow") return decision.kind;
  return decision.approval === undefined ? "allow" : `approved ${decision.approval}`;
}

const OUTCOME_WORDS = {
  result: "result",
  tool_error: "tool error",
  input_required: "input required",
  error: "error",
} as const;

function formatOutcome(end: CallEnd): string {
  if (end.kind === "deny" || end.kind === "ask") return `not sent: ${end.reason}`;
  return end.kind === "error" ? `error ${end.error.code}` : OUTCOME_WORDS[outcomeOf(end)];
}

/** Longer names are recorded by their start, length and digest. */
const MAX_RECORDED_LENGTH = 512;
const RECORDED_START = 200;

/** A name as a client sent it, as records, logs and spans hold it. */
export function recordedName(name: unknown): string {
  const text = typeof name === "string" ? name : (JSON.stringify(name) ?? "");
  if (text.length <= MAX_RECORDED_LENGTH) return text;
  const digest = hash("sha256", text).slice(0, 16);
  return `${copyStart(text, RECORDED_START)}… (${text.length} characters, sha256 ${digest})`;
}

// The reply when the store fails: the call was not made, and roughly why. The store's location stays in the
// log.

const REASONS: ReadonlyMap<OnymErrorCode, string> = new Map([
  ["store-unavailable", "the gateway's store cannot be used now"],
  ["store-corrupt", "the gateway's store is damaged"],
  ["audit-unavailable", "too many records wait to be written"],
]);

/** For transient failures: a lock, a full queue, a database restart. Corruption is not transient. */
const RETRY_MS = 1_000;
const PASSING: ReadonlySet<OnymErrorCode> = new Set(["store-unavailable", "audit-unavailable"]);

function storeFailure(what: string, error: unknown): Reply {
  const code = error instanceof OnymError ? error.code : "internal";
  const reason = REASONS.get(code);
  const text = reason === undefined ? what : `${what}: ${reason}`;
  const data = reason && { reason: code, ...(PASSING.has(code) && { retryAfterMs: RETRY_MS }) };
  return errorReply(RPC_CODES[code], `${text}. See the gateway's log.`, data);
}

// Logs when the store begins to fail and when it recovers, with the number of failures. One line per refused
// call would flood the log.

interface FailureLog {
  readonly failed: (what: string, error: unknown, facts?: Parameters<Log>[2]) => void;
  readonly worked: () => void;
}

/** Repeats the message this often while the failure lasts. */
const AGAIN_MS = 60_000;

export function createFailureLog(log: Log, now: () => number): FailureLog {
  let failing: { readonly since: number; readonly loggedAt: number; readonly failures: number } | undefined;
  return {
    failed(what, error, facts) {
      const at = now();
      const failures = (failing?.failures ?? 0) + 1;
      const isLogged = failing !== undefined && at < failing.loggedAt + AGAIN_MS;
      failing = {
        since: failing?.since ?? at,
        loggedAt: isLogged ? (failing?.loggedAt ?? at) : at,
        failures,
      };
      if (isLogged) return;
      log("error", `${what}: ${reasonOf(error)}`, failures === 1 ? facts : { ...facts, failures });
    },
    worked() {
      if (failing === undefined) return;
      const { since, failures } = failing;
      failing = undefined;
      log("warn", "the store works again", { failures, seconds: Math.round((now() - since) / 1000) });
    },
  };
}

/** A stack trace helps only where the error is a bug. */
function reasonOf(error: unknown): string {
  return error instanceof OnymError ? `${error.message} ${error.hint}` : describeError(error);
}
