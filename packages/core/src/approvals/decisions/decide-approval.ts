// What the record says about one call: approved, rejected, or undecided, which is not a permission (ID-5).

import type { ApprovalKeys } from "../approval-keys.js";
import type { CallBinding } from "../call-binding.js";
import {
  type CallDecision,
  callDecisionKeyOf,
  type DecisionRecord,
  type Verdict,
} from "./decision-record.js";

/** Only `approved` lets a call run; `undecided` means: ask. */
export type Approval =
  | { readonly outcome: Verdict; readonly basis: "call" | "always" }
  | { readonly outcome: "undecided" };

/**
 * A decision about exactly this call, with this definition and these arguments (ID-11), beats a lasting one. A
 * later decision beats an earlier one. A lasting decision is found only under the canonical key.
 *
 * @example
 * decideApproval({ keys: approvalKeysOfTool({ name: "lookup" }), call: undefined }, buildDecisionRecord([]));
 * // { outcome: "undecided" }
 */
export function decideApproval(
  asked: { readonly keys: ApprovalKeys | undefined; readonly call: CallBinding | undefined },
  record: DecisionRecord,
): Approval {
  if (asked.keys === undefined) return { outcome: "undecided" };
  const exact = asked.call === undefined ? undefined : latestOfCall(asked.keys, asked.call, record);
  if (exact !== undefined) return { outcome: exact, basis: "call" };
  const lasting = record.always.get(asked.keys.canonical);
  return lasting === undefined ? { outcome: "undecided" } : { outcome: lasting, basis: "always" };
}

function latestOfCall(keys: ApprovalKeys, asked: CallBinding, record: DecisionRecord): Verdict | undefined {
  // Aliases are read only for deferred tools: a namespaced call must not fall back to a decision about a bare name,
  // even if the caller requested the alias.
  const readable = keys.kind === "deferred_top_level" ? [keys.canonical, ...keys.aliases] : [keys.canonical];
  let latest: CallDecision | undefined;
  for (const key of readable) {
    for (const call of [asked, { callId: asked.callId }]) {
      const found = record.calls.get(callDecisionKeyOf(call, key));
      if (found !== undefined && (latest === undefined || found.order > latest.order)) latest = found;
    }
  }
  return latest?.verdict;
}
