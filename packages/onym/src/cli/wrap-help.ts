// Help on a screen of any width: prose is wrapped, and what a term or an example means, beside it or below. Terms and
// examples are not broken, because they are there to be copied.

import { textWidth } from "./format-table.js";
import { wrapText } from "./wrap-text.js";

/** Where there is less room beside a term, what it means goes below. */
export const LEAST_BESIDE = 20;

const BELOW = " ".repeat(6);

/** Lines that fit stay as they are, and all do where the width is not known. */
export function wrapHelp(text: string, columns = Number.POSITIVE_INFINITY): string {
  return text
    .split("\n")
    .flatMap((line) => (textWidth(line) <= columns ? [line] : wrapLine(line, columns)))
    .join("\n");
}

function wrapLine(line: string, columns: number): readonly string[] {
  const [, term, gap, meaning] = /^( {2}\S.*?)( {2,})(\S.*)$/.exec(line) ?? [];
  if (term === undefined || gap === undefined || meaning === undefined)
    return line.startsWith("  ") ? [line] : wrapText(line, { columns });
  const indent = " ".repeat(term.length + gap.length);
  if (columns - indent.length < LEAST_BESIDE) return [term, ...wrapText(meaning, { columns, indent: BELOW })];
  const [first = "", ...rest] = wrapText(meaning, { columns, indent });
  return [term + gap + first.trimStart(), ...rest];
}
