// Standing decisions: lasting, one per principal and tool, bound to the tool's definition and launch (POL-2).
// Immutable.

import type { ToolDefinition } from "../../catalog/tool.js";
import type { ToolKey } from "../../identity/tool-key.js";
import type { DefinitionDigest } from "../definition-digest.js";

/**
 * An approval is for one launch and one definition; omit `definition` to store only its digest. A rejection is for
 * the tool in every state, so a server cannot escape it by changing a description.
 */
export type StandingDecision =
  | {
      readonly verdict: "approved";
      readonly principal: string;
      readonly tool: ToolKey;
      readonly launch: string;
      readonly digest: DefinitionDigest;
      readonly definition?: ToolDefinition | undefined;
    }
  | { readonly verdict: "rejected"; readonly principal: string; readonly tool: ToolKey };

declare const standingKey: unique symbol;

/** Injective encoding of (principal, tool). */
export type StandingKey = string & { readonly [standingKey]: true };

export type StandingRecord = ReadonlyMap<StandingKey, StandingDecision>;

/**
 * A later approval replaces an earlier one. A rejection replaces both and stays until it is withdrawn, so merging
 * records in any order never turns a rejection into an approval.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch: "npx docs-server@2", tool });
 * const standing = buildStandingRecord([{ verdict: "approved", ...binding }]);
 */
export function buildStandingRecord(decisions: readonly StandingDecision[]): StandingRecord {
  const record = new Map<StandingKey, StandingDecision>();
  for (const decision of decisions) put(record, decision);
  return record;
}

/**
 * The record with one more decision. Copies the record, so build a long one with `buildStandingRecord`.
 *
 * @example
 * recordStanding(buildStandingRecord([]), { verdict: "rejected", principal: "ann", tool: key });
 */
export function recordStanding(record: StandingRecord, decision: StandingDecision): StandingRecord {
  const next = new Map(record);
  put(next, decision);
  return next;
}

/**
 * The record without the principal's decision about the tool, which is undecided again.
 *
 * @example
 * withdrawStanding(buildStandingRecord([]), { principal: "ann", tool: key });
 */
export function withdrawStanding(
  record: StandingRecord,
  subject: { readonly principal: string; readonly tool: ToolKey },
): StandingRecord {
  const next = new Map(record);
  next.delete(standingKeyOf(subject));
  return next;
}

/** The key of a principal's decision about a tool. */
export function standingKeyOf(subject: { readonly principal: string; readonly tool: ToolKey }): StandingKey {
  return JSON.stringify([subject.principal, subject.tool]) as StandingKey;
}

function put(record: Map<StandingKey, StandingDecision>, decision: StandingDecision): void {
  const key = standingKeyOf(decision);
  const { principal, tool } = decision;
  if (decision.verdict === "rejected") record.set(key, { verdict: "rejected", principal, tool });
  else if (record.get(key)?.verdict !== "rejected") {
    const { verdict, launch, digest, definition } = decision;
    const kept = { verdict, principal, tool, launch, digest };
    record.set(key, definition === undefined ? kept : { ...kept, definition });
  }
}
