// The policy: for a tool, prompt or resource and a caller, allow, ask or deny, and which rule said so (POL-1, POL-9).
// Immutable, no I/O. Names are resolved before; here is only what a thing is.

import type { Tool, ToolKey } from "@onym/core";
import { type CompiledRule, compileRule, type RuleOwner } from "./compile-rule.js";
import { buildItemPolicy, type ItemPolicy, type RuleSubjects } from "./item-policy.js";
import { formerIdentity, namesOfTool } from "./match-tool.js";
import type { Effect, PolicyInput, PolicySubject, ToolPattern } from "./policy-input.js";
import {
  byStrength,
  isOutside,
  matchOf,
  OUTSIDE,
  type PolicyDecision,
  type RuleMatch,
  type SpokenRule,
  STRENGTH,
  strongest,
} from "./rule-strength.js";
import { compileHints, type ToolHints } from "./tool-hints.js";

export type { PolicyItem, RuleOwner } from "./compile-rule.js";
export type { PolicyDecision, RuleMatch } from "./rule-strength.js";

/** What the policy asks about a tool, once for each: build it again when an answer may have changed. */
export interface PolicyFacts {
  /** Canonical names that the tool had before, from declared renames. */
  readonly formerNames?: (tool: Tool) => readonly string[];
  /** The same of a prompt. */
  readonly formerPrompts?: (prompt: Tool) => readonly string[];
}

/** Whether a downstream added the tool after it was first seen. Asked each time, because admitting a tool changes it. */
export type IsNew = (tool: Tool) => boolean;

/** A rule that is about nothing there is. */
export interface IdleRule {
  /** `rules[2]` */
  readonly rule: string;
  readonly about: CompiledRule["about"];
  readonly why: string;
  readonly patterns: readonly ToolPattern[];
}

export interface Policy extends ItemPolicy {
  readonly decide: (tool: Tool, subject: PolicySubject, isNew?: IsNew) => PolicyDecision;
  /** The same for many tools at once, where callers are matched once. */
  readonly decideAll: (
    tools: readonly Tool[],
    subject: PolicySubject,
    isNew?: IsNew,
  ) => ReadonlyMap<ToolKey, PolicyDecision>;
  /** Everything that speaks about the call, in the order of the rules; the default where none is certain. */
  readonly matches: (tool: Tool, subject: PolicySubject, isNew?: IsNew) => readonly RuleMatch[];
  readonly hintsOf: (tool: Tool) => ToolHints;
  /**
   * Rules that are about none of these, whoever calls: often a slip in a name. Not those that may be about something of a
   * server that has not answered, or about prompts or resources where these are not known.
   */
  readonly idleRules: (there: RuleSubjects, unheard?: readonly RuleOwner[]) => readonly IdleRule[];
  /** Whether a caller may hear that a tool of this canonical name was there once; no where it might have been denied. */
  readonly mayMention: (canonical: string, subject: PolicySubject) => boolean;
}

/** What is the same for every caller. */
interface ToolMatches {
  readonly inOrder: readonly SpokenRule[];
  /** The strongest first. */
  readonly ordered: readonly SpokenRule[];
}

const QUARANTINE: Readonly<Record<Effect, RuleMatch | undefined>> = {
  allow: undefined,
  ask: {
    effect: "ask",
    rule: "newTools",
    why: "ask, because this tool was not there when the server, as configured now, was first seen",
  },
  deny: {
    effect: "deny",
    rule: "newTools",
    why: "deny, because this tool was not there when the server, as configured now, was first seen",
  },
};

/**
 * Deny beats ask beats allow, in whatever order the rules stand; the first rule of the effect that won is named.
 *
 * @example
 * const policy = buildPolicy({ default: "deny", rules: [{ effect: "allow", server: ["docs"] }] });
 * policy.decide(tool, { principal: "ann" }).rule; // "rules[0]"
 */
export function buildPolicy(input: PolicyInput, facts: PolicyFacts = {}): Policy {
  const rules = input.rules.map(compileRule);
  const readHints = compileHints({ overrides: input.annotations ?? [], trusted: input.trusted ?? [] });
  const otherwise: RuleMatch = {
    effect: input.default,
    rule: "default",
    why: `${input.default}, because no rule speaks about it for certain`,
  };
  const quarantine = QUARANTINE[input.newTools ?? "allow"];
  const quarantineOf = (tool: Tool, isNew: IsNew | undefined): RuleMatch | undefined =>
    quarantine !== undefined && isNew?.(tool) === true ? quarantine : undefined;
  const known = new WeakMap<Tool, ToolMatches>();
  const namesOf = (tool: Tool) => namesOfTool(tool, facts.formerNames?.(tool) ?? []);
  const byOwner = new Map<string, readonly CompiledRule[]>();
  /** Most rules are about few servers: those about others are put aside once for each, not once for each tool. */
  const rulesFor = (tool: Tool): readonly CompiledRule[] => {
    const key = JSON.stringify([tool.toolbox ?? null, tool.server, tool.integration]);
    const found = byOwner.get(key) ?? rules.filter((rule) => rule.matchOwner(tool));
    byOwner.set(key, found);
    return found;
  };
  const items = buildItemPolicy({ rules, otherwise, formerNames: facts.formerPrompts ?? (() => []) });
  const hintsOf = (tool: Tool): ToolHints => readHints(tool, namesOf(tool));

  const matchesOf = (tool: Tool): ToolMatches => {
    const before = known.get(tool);
    if (before !== undefined) return before;
    const names = namesOf(tool);
    const toolFacts = { tool, names, hints: readHints(tool, names) };
    const inOrder: SpokenRule[] = [];
    for (const rule of names.length > 1 ? rules : rulesFor(tool)) {
      const hit = rule.matchTool(toolFacts);
      if (hit === undefined) continue;
      const match = matchOf(rule, hit.by.isFormer ? hit.by.name : undefined);
      inOrder.push({ rule, match, isCertain: hit.isCertain });
    }
    const found = { inOrder, ordered: byStrength(inOrder) };
    known.set(tool, found);
    return found;
  };
  const decideFor = (
    tool: Tool,
    subject: PolicySubject,
    isMeant: (rule: CompiledRule) => boolean,
    isNew: IsNew | undefined,
  ) => {
    if (isOutside(tool, subject)) return OUTSIDE;
    const decided = strongest(matchesOf(tool).ordered, isMeant, otherwise);
    const held = quarantineOf(tool, isNew);
    // Not a rule like the others: under a default of deny it would open what nobody has allowed.
    return held !== undefined && STRENGTH[held.effect] < STRENGTH[decided.effect] ? held : decided;
  };

  return {
    decideItem: items.decideItem,
    matchesItem: items.matchesItem,
    reaches: items.reaches,
    mayHideItems: items.mayHideItems,
    hidesItems: items.hidesItems,
    decide: (tool, subject, isNew) =>
      decideFor(tool, subject, (rule) => rule.matchCaller(subject.principal), isNew),
    decideAll(tools, subject, isNew) {
      const meant = new Set(rules.filter((rule) => rule.matchCaller(subject.principal)));
      return new Map(
        tools.map((tool) => [tool.key, decideFor(tool, subject, (rule) => meant.has(rule), isNew)]),
      );
    },
    matches(tool, subject, isNew) {
      const { inOrder } = matchesOf(tool);
      const held = quarantineOf(tool, isNew);
      const meant = inOrder.filter(({ rule }) => rule.matchCaller(subject.principal));
      const spoken = [...(isOutside(tool, subject) ? [OUTSIDE] : []), ...meant.map(({ match }) => match)];
      const isSilent = !meant.some(({ isCertain }) => isCertain) && !isOutside(tool, subject);
      return [...spoken, ...(isSilent ? [otherwise] : []), ...(held === undefined ? [] : [held])];
    },
    hintsOf,
    idleRules: (there, unheard = []) =>
      rules.flatMap((rule, index) => {
        const isIdle =
          !rule.isGeneral &&
          !unheard.some((owner) => rule.matchOwner(owner)) &&
          !there.tools.some((tool) => rule.isAbout({ tool, names: namesOf(tool) })) &&
          !items.isAboutAny(rule, there);
        if (!isIdle) return [];
        const { tool, prompt = [] } = input.rules[index] ?? {};
        return [{ rule: rule.label, why: rule.why, about: rule.about, patterns: tool ?? prompt }];
      }),
    mayMention(canonical, subject) {
      // What is gone may have been new, and hidden as long as it was there.
      if (input.default === "deny" || input.newTools === "deny" || subject.toolboxes !== undefined)
        return false;
      const names = formerIdentity(canonical);
      return !rules.some(
        ({ effect, about, matchCaller, matchName }) =>
          effect === "deny" &&
          (about === "everything" || about === "tools") &&
          matchCaller(subject.principal) &&
          (names.length === 0 || matchName(names) !== undefined),
      );
    },
  };
}
