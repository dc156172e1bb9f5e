// Proposes a legal name for one that is not: the concrete half of a fix. It promises legality, not uniqueness;
// names that are really given out are assigned by the naming room.

import { compileRules } from "./compile-rules.js";
import { trimSeparators } from "./cut-words.js";
import { fitStart, fitText } from "./fit-text.js";
import { nameRulesFor } from "./name-budget.js";
import type { Profile } from "./profile.js";
import { matchesProfile } from "./sent-name.js";

const LONGEST_LOOK = 1024;

/** A name close to `name` that the profile takes, or `undefined` where none fits (an alias that is too long). */
export function proposeName(name: string, profile: Profile, alias: string): string | undefined {
  const compiled = compileRules(nameRulesFor(profile, alias));
  const { reserved, maxLength, shape } = compiled.rules;
  const fitted = fitText(name.slice(0, LONGEST_LOOK), compiled);
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

/** Without dashes and dots at the end. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && "-.".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
