// The half of a refusal that helps a model to call the right tool: clients show it the message, and seldom the data (RES-6).

import { escapeText } from "@onym/core";
import { lettersOff } from "../near-profile.js";

const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 200;
/** So many letters off is a slip of the finger; names that are nearer than others are told alone. */
const NEAR_LETTERS = 2;

/**
 * A sentence, or nothing where there is nothing to suggest.
 *
 * @example
 * didYouMean("docs_serch", ["docs_search", "docs_list"]); // " Did you mean docs_search?"
 */
export function didYouMean(sent: string, suggestions: readonly string[]): string {
  if (suggestions.length === 0) return "";
  const near = suggestions.filter((name) => lettersOff(sent, name) <= NEAR_LETTERS);
  return ` Did you mean ${oneOf(near.length === 0 ? suggestions : near)}?`;
}

/** Some names as a choice: `a, b or c`. Those beyond the first few are in the data. */
export function oneOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(showName);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} or ${last}`;
}

export function showName(name: string): string {
  return escapeText(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name);
}
