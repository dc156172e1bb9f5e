// Explains a policy decision, for `onym policy test NAME --as CALLER`: every rule that matches the call, in order,
// and the one that decided.

import { escapeText, quoteText, type Tool } from "@onym/core";
import { type Effect, HINT_NAMES, type PolicySubject } from "../model/policy-rule.js";
import type { IsNew, Policy } from "./build-policy.js";
import type { PolicyItem } from "./compile-rule.js";
import type { PolicyDecision, RuleMatch } from "./decide-call.js";
import { readAddress } from "./resource-address.js";

/**
 * @example
 * explainPolicy(policy, tool, { principal: "ci" });
 * // ['mail@1/send@1 for "ci": deny, by rules[1].',
 * //  '  rules[0]: allow where server is "mail" — outweighed: deny beats allow',
 * //  '  rules[1]: deny where caller is "ci" — decides', …]
 */
export function explainPolicy(
  policy: Policy,
  tool: Tool,
  subject: PolicySubject,
  isNew?: IsNew,
): readonly string[] {
  const decided = policy.decide(tool, subject, isNew);
  const head = `${escapeText(tool.canonical)} for ${quoteText(subject.principal)}: ${decided.effect}, by ${decided.rule}.`;
  const rules = policy.matches(tool, subject, isNew).map((match) => explainMatch(match, decided));
  return [head, ...rules, explainHints(policy, tool)];
}

/** The same for a prompt or resource, by its displayed text. */
export function explainItemPolicy(
  policy: Policy,
  { item, shown }: { readonly item: PolicyItem; readonly shown: string },
  subject: PolicySubject,
): readonly string[] {
  const decided = policy.decideItem(item, subject);
  const head = `${escapeText(shown)} for ${quoteText(subject.principal)}: ${decided.effect}, by ${decided.rule}.`;
  const matches = policy.matchesItem(item, subject);
  const rules = matches.map((match) => explainMatch(match, decided));
  const isAmbiguous = item.kind === "resource" && matches.some(({ ambiguous }) => ambiguous === true);
  return [head, ...rules, ...(isAmbiguous ? [explainAmbiguity(item.uri)] : [])];
}

/** Why rules matched an address that their patterns do not. */
function explainAmbiguity(uri: string): string {
  const { unclear } = readAddress(uri);
  const which = unclear.includes("") ? "about resources" : `for ${unclear.join(" and ")} addresses`;
  return `  address: can be read in more than one way, so every deny and ask rule ${which} applies`;
}

function explainMatch(match: RuleMatch, decided: PolicyDecision): string {
  const outcome = match.rule === decided.rule ? "decides" : explainLoss(match, decided.effect);
  return `  ${match.rule}: ${match.why}${explainFormer(match)} — ${outcome}`;
}

function explainLoss({ effect }: RuleMatch, winner: Effect): string {
  return effect === winner ? "says the same" : `outweighed: ${winner} beats ${effect}`;
}

function explainFormer({ former }: RuleMatch): string {
  return former === undefined ? "" : `, which follows its former name ${quoteText(former)}`;
}

/** Why a rule on annotations matched or did not. */
function explainHints(policy: Policy, tool: Tool): string {
  const hints = policy.hintsOf(tool);
  const shown = HINT_NAMES.map((name) => {
    const { value, source, claimed } = hints[name];
    const claim = claimed === undefined ? "" : `; the server, which is not trusted, says ${claimed}`;
    return `${name} ${value} (${source}${claim})`;
  });
  return `  annotations: ${shown.join(", ")}`;
}
