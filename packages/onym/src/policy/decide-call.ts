// Policy and approvals together: what becomes of one call (POL-1, POL-2). The order of the questions is the security model.

import { type DefinitionDiff, decideStanding, type ToolBinding, type ToolDefinition } from "@onym/core";
import type { PolicyDecision } from "./build-policy.js";
import type { StandingState } from "./standing-cache.js";

/** What somebody answered about exactly this call, and what they were shown when they did (POL-3). */
export interface CallAnswer {
  readonly verdict: "approved" | "rejected";
  readonly shown: Pick<ToolBinding, "digest" | "launch">;
}

export type CallDecision =
  | {
      readonly kind: "allow";
      readonly rule: string;
      /** The approval that answered the rule, where it asked: the one call, or a standing one by its id. */
      readonly approval?: "call" | number;
    }
  | AskDecision
  | {
      readonly kind: "deny";
      readonly rule: string;
      /** `policy`: a rule or the default. `rejected`: a standing decision. `answer`: about this call. */
      readonly reason: "policy" | "rejected" | "answer";
    };

export interface AskDecision {
  readonly kind: "ask";
  readonly rule: string;
  readonly reason: "undecided" | "changed" | "expired";
  /** What is no longer as it was approved; empty where nothing was, or only time has passed. */
  readonly what: readonly ("definition" | "launch")[];
  /** From what was approved to what is there now. */
  readonly diff?: DefinitionDiff;
  /** The definition that was approved, where another one is there now. */
  readonly before?: ToolDefinition;
}

/**
 * A denial of the policy is final. Then an answer about exactly this call counts before a standing decision (ID-5), and a
 * standing rejection before the policy's allow. An approval answers an ask, and only for the tool as it was shown.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch, tool });
 * decideCall({ policy: policy.decide(tool, { principal: "ann" }), binding, standing: cache.find(binding, now) });
 */
export function decideCall(input: {
  readonly policy: PolicyDecision;
  /** The tool as it is now. */
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
    return { kind: "allow", rule, approval: standing.id };

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
