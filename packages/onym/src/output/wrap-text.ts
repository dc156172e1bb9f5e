// Prose on a screen of known width. Where the width is not known, one line stays one line.

import { clipText, textWidth as widthOf } from "./format-table.js";

/** Colours take no room. */
function textWidth(text: string): number {
  return widthOf(text.replace(/\p{Cc}\[\d+m/gu, ""));
}

/**
 * The lines of a text that fit, each with the indent before it. A single word that is wider than the screen has a line
 * of its own.
 *
 * @example
 * wrapText("one two three", { columns: 9, indent: "  " }); // ["  one two", "  three"]
 */
export function wrapText(
  text: string,
  { columns, indent = "" }: { readonly columns: number | undefined; readonly indent?: string },
): readonly string[] {
  if (columns === undefined || textWidth(indent + text) <= columns) return [indent + text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(indent + longer) > columns) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  return [...lines, indent + line];
}

/** Several lines at once; what is wrapped keeps the indent of its line. */
export function wrapLines(lines: readonly string[], columns: number | undefined): readonly string[] {
  return lines.flatMap((line) => {
    const [indent = ""] = /^ */.exec(line) ?? [];
    return wrapText(line.slice(indent.length), { columns, indent });
  });
}

/** A name that must stay on one line: the middle gives way where the screen is too narrow. */
export function fitLine(text: string, columns: number | undefined): string {
  return columns === undefined ? text : clipText(text, columns);
}
