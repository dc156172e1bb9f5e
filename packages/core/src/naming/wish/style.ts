// The styles of NAME-1: the shape of a public name before it is fitted.

import type { NameRules } from "../../profiles/profile.js";

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

/** The rules for names in a style. Only toolbox names have a part separator (BOX-8). */
export function rulesInStyle(rules: NameRules, style: NamingStyle): NameRules {
  if (rules.partSeparator === undefined || style === "toolbox") return rules;
  const { partSeparator: _none, ...others } = rules;
  return others;
}
