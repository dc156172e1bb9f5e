// What the standing decisions say about a tool in its present state. Only an unchanged approved tool is approved
// (POL-2).

import { type DefinitionDiff, diffDefinitions } from "../definition-diff.js";
import type { ToolBinding } from "../tool-binding.js";
import { type StandingRecord, standingKeyOf } from "./standing-record.js";

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

/**
 * Only `approved` lets the tool run. `changed` and `undecided` both mean: ask.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch: "npx docs-server@2", tool });
 * decideStanding(binding, buildStandingRecord([{ verdict: "approved", ...binding }])).outcome; // "approved"
 */
export function decideStanding(asked: ToolBinding, record: StandingRecord): StandingApproval {
  const decision = record.get(standingKeyOf(asked));
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
