// Which of the matching rules decides: deny beats ask beats allow, in any rule order.

import type { Effect, PolicySubject } from "../model/policy-rule.js";
import type { CompiledRule } from "./compile-rule.js";

export interface PolicyDecision {
  readonly effect: Effect;
  /** The rule that matched: `rules[2]`, `newTools`, `toolboxes` (the caller is confined to others) or `default`. */
  readonly rule: string;
  /** The rule as text, safe to show. */
  readonly why: string;
}

export interface RuleMatch extends PolicyDecision {
  /** The former name that the rule matched; absent if it matched the present identity. */
  readonly former?: string;
}

/** A matching rule, and whether the match is certain. */
export interface SpokenRule {
  readonly rule: CompiledRule;
  readonly match: RuleMatch;
  readonly isCertain: boolean;
}

export const STRENGTH: Readonly<Record<Effect, number>> = { deny: 0, ask: 1, allow: 2 };

export const OUTSIDE: RuleMatch = {
  effect: "deny",
  rule: "toolboxes",
  why: "deny, because the caller is confined to other toolboxes",
};

export function byStrength(spoken: readonly SpokenRule[]): readonly SpokenRule[] {
  return [...spoken].sort((a, b) => STRENGTH[a.match.effect] - STRENGTH[b.match.effect]);
}

/**
 * An uncertain match may restrict a tool, but does not replace the default: otherwise a server could turn a denial
 * into an ask through its annotations.
 */
export function strongest(
  ordered: readonly SpokenRule[],
  isMeant: (rule: CompiledRule) => boolean,
  otherwise: RuleMatch,
): RuleMatch {
  let first: RuleMatch | undefined;
  for (const { rule, match, isCertain } of ordered) {
    if (!isMeant(rule)) continue;
    first ??= match;
    if (isCertain) return first;
  }
  return first === undefined || STRENGTH[otherwise.effect] < STRENGTH[first.effect] ? otherwise : first;
}

/** Cached: most tools have no former name, so a rule's match is the same for each of them. */
const plainMatches = new WeakMap<CompiledRule, RuleMatch>();

export function matchOf(rule: CompiledRule, former: string | undefined): RuleMatch {
  const { effect, label, why } = rule;
  if (former !== undefined) return { effect, rule: label, why, former };
  const shared = plainMatches.get(rule) ?? { effect, rule: label, why };
  plainMatches.set(rule, shared);
  return shared;
}

export function isOutside(
  { toolbox }: { readonly toolbox?: string | undefined },
  { toolboxes }: PolicySubject,
): boolean {
  return toolboxes !== undefined && (toolbox === undefined || !toolboxes.includes(toolbox));
}
