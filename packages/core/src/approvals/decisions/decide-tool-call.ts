// Combines all decisions about one call of a catalog tool. The order of the checks is the security model.

import type { CallId } from "../../identity/layers/call-id.js";
import { approvalKeysOfCatalogTool } from "../approval-keys.js";
import { bindArguments } from "../call-binding.js";
import type { ToolBinding } from "../tool-binding.js";
import { type Approval, decideApproval } from "./decide-approval.js";
import { type DecidedLineage, decideStanding, type StandingApproval } from "./decide-standing.js";
import type { DecisionRecord } from "./decision-record.js";
import type { StandingRecord } from "./standing-record.js";

/** All decisions, stored and restored together. */
export interface Decisions {
  /** Decisions about single calls, and about tools by key. Call ids belong to one run: keep one record per run. */
  readonly record: DecisionRecord;
  /** Decisions about tools by definition and launch. */
  readonly standing: StandingRecord;
}

/**
 * A decision about exactly this call beats every lasting one (ID-5). Next, any rejection counts; then only an
 * approval of the tool in its present state. An approval for its key alone says nothing about its definition.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch: "npx docs-server@2", tool });
 * decideToolCall({ binding, callId, arguments: {} }, { record, standing: buildStandingRecord([]) }).outcome;
 */
export function decideToolCall(
  asked: {
    readonly binding: ToolBinding;
    readonly callId: CallId | undefined;
    /** As they are sent to the server. */
    readonly arguments: unknown;
    /** For a tool that may have been renamed (LOCK-5). */
    readonly lineage?: DecidedLineage;
  },
  decisions: Decisions,
): Approval | StandingApproval {
  const keys = approvalKeysOfCatalogTool(asked.binding.tool);
  const call = bindArguments({ ...asked, definition: asked.binding.digest });
  const byKey = decideApproval({ keys, call }, decisions.record);
  if (byKey.outcome === "rejected" || (byKey.outcome === "approved" && byKey.basis === "call")) return byKey;
  for (const { key } of asked.lineage?.line ?? []) {
    const other = decideApproval({ keys: approvalKeysOfCatalogTool(key), call: undefined }, decisions.record);
    if (other.outcome === "rejected") return other;
  }
  return decideStanding(asked.binding, decisions.standing, asked.lineage);
}
