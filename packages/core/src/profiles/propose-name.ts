// Proposes a legal name for one that is not: the concrete half of a fix. It promises legality, not uniqueness;
// names that are really given out are fitted and assigned by the naming room.

import { nameRulesFor } from "./name-budget.js";
import type { NameRules, Profile } from "./profile.js";
import { rewriteText } from "./rewrite-text.js";
import { matchesProfile } from "./sent-name.js";

const LONGEST_LOOK = 1024;

/** A name close to `name` that the profile takes, or `undefined` where none fits (an alias that is too long). */
export function proposeName(name: string, profile: Profile, alias: string): string | undefined {
  const rules = nameRulesFor(profile, alias);
  const start = name.trim() === "" ? "tool" : name;
  const proposal = fit(start, rules, profile.kind === "specification" && !profile.unrestricted);
  return matchesProfile(proposal, profile, alias) ? proposal : undefined;
}

function fit(name: string, rules: NameRules, trimsEdges: boolean): string {
  if (rules.shape === "any") return name.slice(0, rules.maxLength);
  const limit = Math.max(0, rules.maxLength);
  const legal = withoutForbidden(rewrite(name.slice(0, LONGEST_LOOK), rules), rules);
  let fitted = trimsEdges ? legal.replace(/^[-.]+/, "") : legal;
  if (fitted === "") fitted = rewrite("tool", rules);
  const firsts = rules.first || rules.alphabet;
  if (!firsts.includes(fitted.charAt(0))) fitted = (firsts.includes("t") ? "t" : firsts.charAt(0)) + fitted;
  if (fitted.length < rules.minLength) fitted = rewrite(`${fitted}_tool`, rules);
  if (rules.reserved?.includes(fitted)) fitted = rewrite(`${fitted}_tool`, rules);
  fitted = fitted.slice(0, limit);
  if (rules.shape === "snake") return fitted.replace(/_$/, "");
  return trimsEdges ? trimEnd(fitted) : fitted;
}

function rewrite(name: string, rules: NameRules): string {
  if (rules.shape === "snake") return rewriteText(name, "snake");
  if (rules.shape === "camel") return joinCamel(rewriteText(name, "snake"));
  const filler = ["_", "-", "."].find((character) => rules.alphabet.includes(character)) ?? "";
  const source = /[A-Z]/.test(rules.alphabet) ? name : name.toLowerCase();
  return Array.from(source, (character) => (rules.alphabet.includes(character) ? character : filler)).join(
    "",
  );
}

function joinCamel(snake: string): string {
  return snake.replace(/_(.)/g, (_underscore, next: string) => next.toUpperCase());
}

function withoutForbidden(name: string, rules: NameRules): string {
  let fitted = name;
  for (const text of rules.forbidden) {
    while (text !== "" && fitted.includes(text)) fitted = fitted.replaceAll(text, text.slice(1));
  }
  return fitted;
}

function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "-" || name[end - 1] === ".")) end--;
  return name.slice(0, end);
}
