// Proposes a legal name for an illegal one, for the fix of a problem. The proposal is legal but may not be unique;
// `naming/` assigns the real names.

import type { Profile } from "../profile.js";
import { nameRulesFor } from "../sent/name-budget.js";
import { matchesProfile } from "../sent/sent-name.js";
import { compileRules } from "./compile-rules.js";
import { trimSeparators } from "./cut-words.js";
import { fitStart, fitText } from "./fit-text.js";

const MAX_READ_LENGTH = 1024;

/** A similar name that the profile accepts, or `undefined` if none fits (the alias is too long). */
export function proposeName(name: string, profile: Profile, alias: string): string | undefined {
  const compiled = compileRules(nameRulesFor(profile, alias));
  const { reserved, maxLength, shape } = compiled.rules;
  const fitted = fitText(name.slice(0, MAX_READ_LENGTH), compiled);
  // Specifications advise against separators at either end.
  const trimsEdges = profile.kind === "specification" && !profile.unrestricted;
  const core = trimsEdges ? fitted.replace(/^[-.]+/, "") : fitted;
  const started = fitStart(core.trim() === "" ? "" : core, compiled);
  const free = reserved?.includes(started) === true ? `${started}${compiled.filler}tool` : started;
  const cut = free.slice(0, Math.max(0, maxLength));
  const trimmed = shape === "snake" ? trimSeparators(cut) : trimsEdges ? trimEnd(cut) : cut;
  const proposal = trimmed === "" ? fitStart("", compiled) : trimmed;
  return matchesProfile(proposal, profile, alias) ? proposal : undefined;
}

/** Removes trailing dashes and dots. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && "-.".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
