// The styles of NAME-1: what a public name is meant to look like before it is fitted.

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
