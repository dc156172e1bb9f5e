// The styles of NAME-1: what a public name is meant to look like before it is fitted.

import type { NameRules } from "../profiles/profile.js";

export const NAMING_STYLES = [
  "flat",
  "toolbox",
  "canonical",
  "dotted",
  "slashed",
  "encoded",
  "prefixed",
  "bare",
] as const;

export type NamingStyle = (typeof NAMING_STYLES)[number];

/**
 * @example
 * isNamingStyle("flat"); // true
 */
export function isNamingStyle(text: string): text is NamingStyle {
  return (NAMING_STYLES as readonly string[]).includes(text);
}

/** The rules for names that are made in a style: only toolbox names have parts with a separator of their own (BOX-8). */
export function rulesInStyle(rules: NameRules, style: NamingStyle): NameRules {
  if (rules.partSeparator === undefined || style === "toolbox") return rules;
  const { partSeparator: _none, ...others } = rules;
  return others;
}
