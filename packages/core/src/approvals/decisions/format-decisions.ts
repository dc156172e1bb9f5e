// Decisions → text: deterministic JSON with one decision per line, for stores and for readable diffs.

import { canonicalJson } from "../../identity/canonical-json.js";
import { compareText } from "../../names/compare-text.js";
import { type ApprovalKey, formatStoredKey } from "../approval-keys.js";
import type { Decisions } from "./decide-tool-call.js";
import type { CallDecision, DecisionRecord } from "./decision-record.js";
import type { StandingDecision } from "./standing-record.js";

/** The newest format that this version reads and writes. */
export const DECISIONS_FORMAT = 2;

/**
 * Equal decisions always give the same text. Decisions about calls are in the order in which they were made, the
 * others in key order.
 *
 * @example
 * formatDecisions({ record: buildDecisionRecord([]), standing: buildStandingRecord([]) });
 * // {
 * //   "onymDecisions": 2,
 * //   "always": [],
 * //   "calls": [],
 * //   "tools": []
 * // }
 */
export function formatDecisions(decisions: Decisions): string {
  const { record, standing } = decisions;
  const always = [...record.always]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, verdict]) => `{"key":${formatStoredKey(key)},"verdict":"${verdict}"}`);
  const tools = [...standing]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, decision]) => formatStanding(decision));
  return [
    "{",
    `  "onymDecisions": ${DECISIONS_FORMAT},`,
    `  "always": ${formatList(always)},`,
    `  "calls": ${formatList(formatCalls(record))},`,
    `  "tools": ${formatList(tools)}`,
    "}",
    "",
  ].join("\n");
}

interface WrittenCall {
  readonly callId: string;
  readonly decision: CallDecision;
  readonly keys: ApprovalKey[];
}

/** A decision is stored under several keys, which share its order. Replaced decisions are gone. */
function formatCalls({ calls }: DecisionRecord): readonly string[] {
  const byOrder = new Map<number, WrittenCall>();
  for (const [place, decision] of calls) {
    const [callId, key] = JSON.parse(place) as readonly [string, ApprovalKey];
    const written = byOrder.get(decision.order) ?? { callId, decision, keys: [] };
    written.keys.push(key);
    byOrder.set(decision.order, written);
  }
  return [...byOrder]
    .sort(([a], [b]) => a - b)
    .map(([, { callId, decision, keys }]) => {
      const written = keys.sort(compareText).map(formatStoredKey).join(",");
      const { verdict, call } = decision;
      const bound =
        call === undefined ? "" : `,"definition":"${call.definition}","arguments":"${call.arguments}"`;
      return `{"callId":${JSON.stringify(callId)},"keys":[${written}],"verdict":"${verdict}"${bound}}`;
    });
}

function formatStanding(decision: StandingDecision): string {
  const start = `{"principal":${JSON.stringify(decision.principal)},"tool":${decision.tool},"verdict":"${decision.verdict}"`;
  if (decision.verdict === "rejected") return `${start}}`;
  const { launch, digest, definition } = decision;
  // Not JSON.stringify, which throws on a very deep schema.
  const kept = definition === undefined ? "" : `,"definition":${canonicalJson(definition)}`;
  return `${start},"launch":${JSON.stringify(launch)},"digest":${JSON.stringify(digest)}${kept}}`;
}

function formatList(lines: readonly string[]): string {
  return lines.length === 0 ? "[]" : `[\n    ${lines.join(",\n    ")}\n  ]`;
}
