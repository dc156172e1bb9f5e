// Words of a command line that people may copy.

import { quoteText } from "@onym/core";

/** A word as it can be pasted into a shell, unless it holds what a person should not see unescaped. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${quoteText(text, Number.POSITIVE_INFINITY).slice(1, -1).replaceAll("'", "'\\''")}'`;
}
