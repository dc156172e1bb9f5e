// The policy: for a tool, prompt or resource and a caller, allow, ask or deny, and the rule that decided (POL-1,
// POL-9). Immutable, no I/O. Names are already resolved; the policy only sees identities.

import type { Tool, ToolKey } from "@onym/core";
import type { Effect, PolicyInput, PolicySubject, ToolPattern } from "../model/policy-rule.js";
import type { Steps } from "../model/run-slices.js";
import {
  type CompiledRule,
  compileRule,
  type FormerServers,
  NO_FORMER_SERVERS,
  type RuleOwner,
} from "./compile-rule.js";
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
} from "./decide-call.js";
import { buildItemPolicy, type ItemPolicy, type RuleSubjects } from "./item-policy.js";
import { formerIdentity, namesOfTool } from "./match-tool.js";
import { compileHints, type ToolHints } from "./tool-hints.js";

/**
 * What the policy needs to know about a tool. Each value is read once per tool, so build a new policy when it may
 * have changed.
 */
export interface PolicyFacts {
  /** Former canonical names of the tool, as `buildFormerNames` finds them. */
  readonly formerNames?: (tool: Tool) => readonly string[];
  /** The same for a prompt. */
  readonly formerPrompts?: (prompt: Tool) => readonly string[];
  readonly formerServers?: FormerServers;
}

/**
 * Whether a server added the tool after it was first seen. Called for every decision, because admitting a tool
 * changes it.
 */
export type IsNew = (tool: Tool) => boolean;

/** A rule that matches nothing that exists. */
export interface IdleRule {
  /** `rules[2]` */
  readonly rule: string;
  readonly about: CompiledRule["about"];
  readonly why: string;
  readonly patterns: readonly ToolPattern[];
}

export interface Policy extends ItemPolicy {
  readonly decide: (tool: Tool, subject: PolicySubject, isNew?: IsNew) => PolicyDecision;
  /** The same for many tools at once; matches the caller only once. */
  readonly decideAll: (
    tools: readonly Tool[],
    subject: PolicySubject,
    isNew?: IsNew,
  ) => ReadonlyMap<ToolKey, PolicyDecision>;
  /** Matches rules and tools in steps, so that `decideAll` is quick for any caller (SAFE-4). */
  readonly matchSteps: (tools: readonly Tool[]) => Steps<void>;
  /** Every rule that matches the call, in rule order; the default if none is certain. */
  readonly matches: (tool: Tool, subject: PolicySubject, isNew?: IsNew) => readonly RuleMatch[];
  readonly hintsOf: (tool: Tool) => ToolHints;
  /**
   * Rules that match none of these for any caller, often because of a typo. Excludes rules that may match something
   * of a server that has not answered, or prompts or resources that are not known.
   */
  readonly idleRuleSteps: (
    there: RuleSubjects,
    unlisted?: readonly RuleOwner[],
  ) => Steps<readonly IdleRule[]>;
  /**
   * Whether a caller may learn that a tool of this canonical name existed; `false` if it might have been denied. With an
   * empty text: of any tool.
   */
  readonly mayMention: (canonical: string, subject: PolicySubject) => boolean;
  /** Whether anybody may be asked about something of this server. */
  readonly mayAsk: (owner: RuleOwner) => boolean;
}

/** Tools per step. */
const STEP_TOOLS = 100;

/** The part of a match that does not depend on the caller. */
interface ToolMatches {
  readonly inOrder: readonly SpokenRule[];
  /** Strongest first. */
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
 * Deny beats ask beats allow, in any rule order. The result names the first rule with the winning effect.
 *
 * @example
 * const policy = buildPolicy({ default: "deny", rules: [{ effect: "allow", server: ["docs"] }] });
 * policy.decide(tool, { principal: "ann" }).rule; // "rules[0]"
 */
export function buildPolicy(input: PolicyInput, facts: PolicyFacts = {}): Policy {
  const { formerServers = NO_FORMER_SERVERS } = facts;
  const rules = input.rules.map((rule, index) => compileRule(rule, index, formerServers));
  const readHints = compileHints({ overrides: input.annotations ?? [], trusted: input.trusted ?? [] });
  const otherwise: RuleMatch = {
    effect: input.default,
    rule: "default",
    why: `${input.default}, because ${input.rules.length === 0 ? "there are no rules" : "no rule matches it for certain"}`,
  };
  const quarantine = QUARANTINE[input.newTools ?? "allow"];
  const quarantineOf = (tool: Tool, isNew: IsNew | undefined): RuleMatch | undefined =>
    quarantine !== undefined && isNew?.(tool) === true ? quarantine : undefined;
  const known = new WeakMap<Tool, ToolMatches>();
  const namesOf = (tool: Tool) => namesOfTool(tool, facts.formerNames?.(tool) ?? []);
  const byOwner = new Map<string, readonly CompiledRule[]>();
  /**
   * Most rules are about few servers, so rules for other servers are filtered out once per server, not once per
   * tool.
   */
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
    // Not an ordinary rule: with a default of deny it would open tools that no rule allows.
    return held !== undefined && STRENGTH[held.effect] < STRENGTH[decided.effect] ? held : decided;
  };

  const isAboutTool = function* (rule: CompiledRule, tools: readonly Tool[]): Steps<boolean> {
    for (const [index, tool] of tools.entries()) {
      if (index % STEP_TOOLS === STEP_TOOLS - 1) yield;
      if (rule.isAbout({ tool, names: namesOf(tool) })) return true;
    }
    return false;
  };

  return {
    decideItem: items.decideItem,
    matchesItem: items.matchesItem,
    reaches: items.reaches,
    mayHideItems: items.mayHideItems,
    hidesItems: items.hidesItems,
    decide: (tool, subject, isNew) => decideFor(tool, subject, (rule) => rule.appliesTo(subject), isNew),
    decideAll(tools, subject, isNew) {
      const meant = new Set(rules.filter((rule) => rule.appliesTo(subject)));
      return new Map(
        tools.map((tool) => [tool.key, decideFor(tool, subject, (rule) => meant.has(rule), isNew)]),
      );
    },
    *matchSteps(tools) {
      for (const [index, tool] of tools.entries()) {
        if (index % STEP_TOOLS === STEP_TOOLS - 1) yield;
        matchesOf(tool);
      }
    },
    matches(tool, subject, isNew) {
      const { inOrder } = matchesOf(tool);
      const held = quarantineOf(tool, isNew);
      const meant = inOrder.filter(({ rule }) => rule.appliesTo(subject));
      const spoken = [...(isOutside(tool, subject) ? [OUTSIDE] : []), ...meant.map(({ match }) => match)];
      const isSilent = !meant.some(({ isCertain }) => isCertain) && !isOutside(tool, subject);
      return [...spoken, ...(isSilent ? [otherwise] : []), ...(held === undefined ? [] : [held])];
    },
    hintsOf,
    *idleRuleSteps(there, unlisted = []) {
      const open: CompiledRule[] = [];
      for (const rule of rules) {
        yield;
        if (rule.isGeneral || unlisted.some((owner) => rule.matchOwner(owner))) continue;
        if (!(yield* isAboutTool(rule, there.tools))) open.push(rule);
      }
      const about = yield* items.aboutSteps(open, there);
      return open
        .filter((rule) => !about.has(rule))
        .map((rule) => {
          const { tool, prompt = [] } = input.rules[rules.indexOf(rule)] ?? {};
          return { rule: rule.label, why: rule.why, about: rule.about, patterns: tool ?? prompt };
        });
    },
    mayAsk: (owner) =>
      input.default === "ask" ||
      input.newTools === "ask" ||
      rules.some((rule) => rule.effect === "ask" && rule.matchOwner(owner)),
    mayMention(canonical, subject) {
      // A tool that is gone may have been new, and hidden while it existed.
      if (input.default === "deny" || input.newTools === "deny" || subject.toolboxes !== undefined)
        return false;
      const names = [canonical, ...formerServers.namesOf(canonical)].flatMap((name) => formerIdentity(name));
      return !rules.some(
        ({ effect, about, appliesTo, matchName }) =>
          effect === "deny" &&
          (about === "everything" || about === "tools") &&
          appliesTo(subject) &&
          (names.length === 0 || matchName(names) !== undefined),
      );
    },
  };
}
