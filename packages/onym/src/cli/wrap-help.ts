// Help on a screen of any width: prose is wrapped, and what a term or an example means, beside it or below. Terms and
// examples are not broken, because they are there to be copied.

import { textWidth } from "../output/format-table.js";
import { wrapText } from "../output/wrap-text.js";

/** Where there is less room beside a term, what it means goes below. */
export const MIN_BESIDE = 20;

const BELOW = " ".repeat(6);

/** Lines that fit stay as they are, and all do where the width is not known. */
export function wrapHelp(text: string, columns = Number.POSITIVE_INFINITY): string {
  return text
    .split("\n")
    .flatMap((line) => (textWidth(line) <= columns ? [line] : wrapLine(line, columns)))
    .join("\n");
}

function wrapLine(line: string, columns: number): readonly string[] {
  // Two columns: a term that is indented by two, and after two or more spaces what it means.
  const termEnd = line.startsWith("   ") || !line.startsWith("  ") ? -1 : line.indexOf("  ", 3);
  const meaning = termEnd < 0 ? "" : line.slice(termEnd).trimStart();
  if (meaning === "") return line.startsWith("  ") ? [line] : wrapText(line, { columns });
  const term = line.slice(0, termEnd);
  const gap = " ".repeat(line.length - termEnd - meaning.length);
  const indent = " ".repeat(term.length + gap.length);
  if (columns - indent.length < MIN_BESIDE) return [term, ...wrapText(meaning, { columns, indent: BELOW })];
  const [first = "", ...rest] = wrapText(meaning, { columns, indent });
  return [term + gap + first.trimStart(), ...rest];
}
