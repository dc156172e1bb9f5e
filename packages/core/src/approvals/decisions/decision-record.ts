// The decisions made so far, as an immutable value. Recording one returns a new record (ID-5).

import type { CallId } from "../../identity/layers/call-id.js";
import type { ApprovalKey, ApprovalKeys } from "../approval-keys.js";
import type { CallBinding } from "../call-binding.js";

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
 * Injective encoding of call id, approval key and what the call is bound to. An id alone would apply a decision to
 * another tool or to other arguments.
 */
export type CallDecisionKey = string & { readonly [callDecisionKey]: true };

/** The latest decision about one call. */
export interface CallDecision {
  readonly verdict: Verdict;
  /** Shows which of two decisions came later, if a call is found under several keys. */
  readonly order: number;
  /**
   * `undefined` for a rejection from before decisions were bound to more than an id: it applies to any arguments.
   */
  readonly call: CallBinding | undefined;
}

export interface DecisionRecord {
  readonly always: ReadonlyMap<ApprovalKey, Verdict>;
  readonly calls: ReadonlyMap<CallDecisionKey, CallDecision>;
  /** The number of decisions recorded. */
  readonly size: number;
}

/**
 * Builds a record from decisions in the order in which they were made; linear in their number.
 *
 * @example
 * buildDecisionRecord([{ kind: "always", keys, verdict: "approved" }]);
 */
export function buildDecisionRecord(decisions: readonly ApprovalDecision[]): DecisionRecord {
  return extendRecord({ always: new Map(), calls: new Map(), size: 0 }, decisions);
}

/**
 * The record with one more decision. Copies the record, so rebuild a long history with `buildDecisionRecord`.
 *
 * @example
 * const call = callBindingOf({ callId, definition: tool.definition, arguments: {} });
 * if (call !== undefined) recordDecision(record, { kind: "call", keys, call, verdict: "rejected" });
 */
export function recordDecision(record: DecisionRecord, decision: ApprovalDecision): DecisionRecord {
  return extendRecord(record, [decision]);
}

/** The key of a decision about one call under one approval key; by call id alone if nothing else is known. */
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
      // Not under the aliases: the meaning of an alias may change when another tool becomes visible.
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
