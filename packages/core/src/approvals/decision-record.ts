// The decisions made so far, as an immutable value. To record one gives a new record; the old one stays as it was (ID-5).

import type { CallId } from "../identity/call-id.js";
import type { ApprovalKey, ApprovalKeys } from "./approval-keys.js";
import type { CallBinding } from "./call-binding.js";

export type Verdict = "approved" | "rejected";

/** `call`: about this one invocation, as it was shown. `always`: about the tool from now on. */
export type ApprovalDecision =
  | {
      readonly kind: "call";
      readonly keys: ApprovalKeys;
      readonly call: CallBinding;
      readonly verdict: Verdict;
    }
  | { readonly kind: "always"; readonly keys: ApprovalKeys; readonly verdict: Verdict };

declare const callDecisionKey: unique symbol;

/**
 * Injective encoding of call id, approval key and what the call is bound to: an id alone would carry a decision over to
 * another tool, or to other arguments.
 */
export type CallDecisionKey = string & { readonly [callDecisionKey]: true };

/** The latest decision about one call. */
export interface CallDecision {
  readonly verdict: Verdict;
  /** Tells which of two decisions came later, where a call is found under several keys. */
  readonly order: number;
  /** Nothing for a rejection from before decisions were bound to more than an id: it holds whatever is sent. */
  readonly call: CallBinding | undefined;
}

export interface DecisionRecord {
  readonly always: ReadonlyMap<ApprovalKey, Verdict>;
  readonly calls: ReadonlyMap<CallDecisionKey, CallDecision>;
  /** How many decisions went in. */
  readonly size: number;
}

/**
 * A record of the decisions in the order in which they were made; linear in their number.
 *
 * @example
 * buildDecisionRecord([{ kind: "always", keys, verdict: "approved" }]);
 */
export function buildDecisionRecord(decisions: readonly ApprovalDecision[]): DecisionRecord {
  return extendRecord({ always: new Map(), calls: new Map(), size: 0 }, decisions);
}

/**
 * The record with one decision more; it copies, so rebuild a long history with `buildDecisionRecord`.
 *
 * @example
 * const call = callBindingOf({ callId, definition: tool.definition, arguments: {} });
 * if (call !== undefined) recordDecision(record, { kind: "call", keys, call, verdict: "rejected" });
 */
export function recordDecision(record: DecisionRecord, decision: ApprovalDecision): DecisionRecord {
  return extendRecord(record, [decision]);
}

/** Where a decision about one call is kept for one key; about a call id alone, where nothing else is known. */
export function callDecisionKeyOf(
  call: CallBinding | { readonly callId: CallId },
  key: ApprovalKey,
): CallDecisionKey {
  const bound = "arguments" in call ? [call.definition, call.arguments] : [];
  return JSON.stringify([call.callId, key, ...bound]) as CallDecisionKey;
}

function extendRecord(record: DecisionRecord, decisions: readonly ApprovalDecision[]): DecisionRecord {
  const always = new Map(record.always);
  const calls = new Map(record.calls);
  let order = record.size;
  for (const { verdict, keys, ...decision } of decisions) {
    if (decision.kind === "always") {
      // Not under the aliases: what an alias means may change with the next tool that becomes visible.
      always.set(keys.canonical, verdict);
    } else {
      for (const key of [keys.canonical, ...keys.aliases]) {
        calls.set(callDecisionKeyOf(decision.call, key), { verdict, order, call: decision.call });
      }
    }
    order += 1;
  }
  return { always, calls, size: order };
}
