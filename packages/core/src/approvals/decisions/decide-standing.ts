// What the standing decisions say about a tool in its present state. Only an unchanged approved tool is approved
// (POL-2).

import type { ToolKey } from "../../identity/tool-key.js";
import { type DefinitionDiff, diffDefinitions } from "../definition-diff.js";
import type { ToolBinding } from "../tool-binding.js";
import { type StandingDecision, type StandingRecord, standingKeyOf } from "./standing-record.js";

/** The tool was approved but has changed since. Not a permission: ask again. */
export interface ChangedTool {
  readonly outcome: "changed";
  /** `launch`: the server is started or reached in another way. */
  readonly what: readonly ("definition" | "launch")[];
  /** From the approved definition to the present one; `undefined` if the approved one was not stored. */
  readonly diff: DefinitionDiff | undefined;
}

export type StandingApproval =
  | { readonly outcome: "approved" | "rejected"; readonly basis: "tool" }
  | ChangedTool
  | { readonly outcome: "undecided" };

/** The other identities of a renamed tool, as `Snapshot.lineageOf` returns them (LOCK-5). */
export interface DecidedLineage {
  /** Those before it that are gone: what was approved under them is approved of the tool. */
  readonly former: readonly { readonly key: ToolKey }[];
  /** All of them: what was rejected under one is rejected, whatever the server lists. */
  readonly line: readonly { readonly key: ToolKey }[];
}

/**
 * Only `approved` lets the tool run. `changed` and `undecided` both mean: ask. With `lineage`, decisions follow declared renames; the tool's
 * own decision counts before those under its former keys.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch: "npx docs-server@2", tool });
 * decideStanding(binding, buildStandingRecord([{ verdict: "approved", ...binding }])).outcome; // "approved"
 */
export function decideStanding(
  asked: ToolBinding,
  record: StandingRecord,
  lineage?: DecidedLineage,
): StandingApproval {
  const decision = findDecision(asked, record, lineage);
  if (decision === undefined) return { outcome: "undecided" };
  if (decision.verdict === "rejected") return { outcome: "rejected", basis: "tool" };
  const isRedefined = decision.digest !== asked.digest;
  const isRelaunched = decision.launch !== asked.launch;
  if (!isRedefined && !isRelaunched) return { outcome: "approved", basis: "tool" };
  const { definition } = decision;
  let made: DefinitionDiff | undefined;
  return {
    outcome: "changed",
    what: [...(isRedefined ? ["definition" as const] : []), ...(isRelaunched ? ["launch" as const] : [])],
    // Made when it is read, once: of thousands of properties it takes long, and most callers do not show it.
    get diff() {
      if (definition !== undefined) made ??= diffDefinitions(definition, asked.definition);
      return made;
    },
  };
}

function findDecision(
  asked: ToolBinding,
  record: StandingRecord,
  { former, line }: DecidedLineage = { former: [], line: [] },
): StandingDecision | undefined {
  const find = ({ key }: { readonly key: ToolKey }): StandingDecision | undefined =>
    record.get(standingKeyOf({ principal: asked.principal, tool: key }));
  const rejection = line.map(find).find((each) => each?.verdict === "rejected");
  if (rejection !== undefined) return rejection;
  return record.get(standingKeyOf(asked)) ?? former.map(find).find((each) => each !== undefined);
}
