// Which of the rules that speak about something decides: deny beats ask beats allow, in whatever order they stand.

import type { CompiledRule } from "./compile-rule.js";
import type { Effect, PolicySubject } from "./policy-input.js";

export interface PolicyDecision {
  readonly effect: Effect;
  /** Which rule spoke: `rules[2]`, `newTools`, `toolboxes` (the caller is confined to others) or `default`. */
  readonly rule: string;
  /** The rule in words, safe to show. */
  readonly why: string;
}

export interface RuleMatch extends PolicyDecision {
  /** The former name by which the rule still holds; absent where it holds by the identity itself. */
  readonly former?: string;
}

/** A rule that speaks, and whether it does so for certain. */
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
 * A rule that is only perhaps about the tool may restrict it, but does not lift the default: else a server could change a
 * denial into a question by what it says of its tools.
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

/** Decisions are shared: most tools have no former name, and then all that a rule says is the same for each. */
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
