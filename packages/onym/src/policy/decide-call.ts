// Combines policy and approvals into the decision about one call (POL-1, POL-2). The order of the checks is the
// security model.

import type { ToolDefinition } from "@onym/core";
import { type DefinitionDiff, decideStanding, type ToolBinding } from "@onym/core/approvals";
import type { PolicyDecision } from "./compile-rule.js";
import type { StandingState } from "./standing-cache.js";

/** The answer to an approval request for exactly this call, and what the person was shown (POL-3). */
export interface CallAnswer {
  readonly verdict: "approved" | "rejected";
  readonly shown: Pick<ToolBinding, "digest" | "launch">;
}

export type CallDecision =
  | AllowDecision
  | AskDecision
  | {
      readonly kind: "deny";
      readonly rule: string;
      /** `policy`: a rule or the default. `rejected`: a standing decision. `answer`: about this call. */
      readonly reason: "policy" | "rejected" | "answer";
    };

export interface AllowDecision {
  readonly kind: "allow";
  readonly rule: string;
  /** The approval that satisfied an ask rule: for this one call, or a standing one by its id. */
  readonly approval?: "call" | number;
  /** The standing approval is for one call: it has to be used up before this one runs. */
  readonly isOnce?: true;
}

export interface AskDecision {
  readonly kind: "ask";
  readonly rule: string;
  readonly reason: "undecided" | "changed" | "expired";
  /** What changed since the approval; empty if nothing was approved, or if the approval only expired. */
  readonly what: readonly ("definition" | "launch")[];
  /** From the approved definition to the present one. */
  readonly diff?: DefinitionDiff;
  /** The approved definition, if it differs from the present one. */
  readonly before?: ToolDefinition;
}

/**
 * A denial by the policy is final. Next, an answer about exactly this call takes precedence over a standing
 * decision (ID-5), and a standing rejection over the policy's allow. An approval satisfies an ask, and only for the
 * tool as it was shown.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch, tool });
 * decideCall({ policy: policy.decide(tool, { principal: "ann" }), binding, standing: cache.find(binding, now) });
 */
export function decideCall(input: {
  readonly policy: PolicyDecision;
  /** The tool in its present state. */
  readonly binding: ToolBinding;
  readonly standing: StandingState;
  readonly answer?: CallAnswer | undefined;
}): CallDecision {
  const { binding, standing, answer } = input;
  const { effect, rule } = input.policy;
  if (effect === "deny") return { kind: "deny", rule, reason: "policy" };
  if (answer?.verdict === "rejected") return { kind: "deny", rule, reason: "answer" };
  const outdated = answer === undefined ? [] : changesSince(answer, binding);
  if (answer !== undefined && outdated.length === 0) return { kind: "allow", rule, approval: "call" };

  const decided = standing.kind === "none" ? undefined : decideStanding(binding, standing.record);
  if (standing.kind === "inForce" && decided?.outcome === "rejected")
    return { kind: "deny", rule, reason: "rejected" };
  if (effect === "allow") return { kind: "allow", rule };
  if (standing.kind === "inForce" && decided?.outcome === "approved")
    return standing.isOnce === true
      ? { kind: "allow", rule, approval: standing.id, isOnce: true }
      : { kind: "allow", rule, approval: standing.id };

  const { what, diff } = decided?.outcome === "changed" ? decided : { what: outdated, diff: undefined };
  const isExpired = standing.kind === "expired" && decided?.outcome !== "undecided";
  const reason = isExpired ? "expired" : what.length > 0 ? "changed" : "undecided";
  const before = what.includes("definition") && standing.kind !== "none" ? standing.definition : undefined;
  return {
    kind: "ask",
    rule,
    reason,
    what,
    ...(diff === undefined ? {} : { diff }),
    ...(before === undefined ? {} : { before }),
  };
}

function changesSince({ shown }: CallAnswer, binding: ToolBinding): readonly ("definition" | "launch")[] {
  return [
    ...(shown.digest === binding.digest ? [] : ["definition" as const]),
    ...(shown.launch === binding.launch ? [] : ["launch" as const]),
  ];
}
