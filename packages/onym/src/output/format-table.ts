// Aligned columns. Cells are measured as a terminal draws them, and foreign text in them is already escaped.

import type { Paint, Style } from "./paint.js";

export type Cell = string | { readonly text: string; readonly style: Style | undefined };

const GAP = "  ";

/** Lines with every column but the last padded to its widest cell; no line ends in blanks. */
export function formatTable(rows: readonly (readonly Cell[])[], paint: Paint): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(textOf(cell)));
    });
  }
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => textOf(cell) !== "");
    return row
      .slice(0, last + 1)
      .map((cell, column) => {
        const text = textOf(cell);
        const painted = typeof cell === "string" ? text : paint(cell.style, text);
        return column === last ? painted : painted + " ".repeat((widths[column] ?? 0) - textWidth(text));
      })
      .join(GAP);
  });
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

// East Asian wide and full-width characters and pictographs take two places, combining marks none.
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;

/** How many places a text takes on a terminal. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The places of the widest text, and at least `least`. */
export function widestText(texts: Iterable<string>, least: number): number {
  let widest = least;
  for (const text of texts) widest = Math.max(widest, textWidth(text));
  return widest;
}

/** The text in at most so many places; the middle gives way. */
export function clipText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = Array.from(text);
  const room = Math.max(1, width - 1);
  const tail = Math.floor(room / 3);
  return `${takeWidth(characters, room - tail)}…${takeWidth(characters.reverse(), tail, true)}`;
}

function takeWidth(characters: readonly string[], width: number, reversed = false): string {
  const taken: string[] = [];
  let used = 0;
  for (const character of characters) {
    used += textWidth(character);
    if (used > width) break;
    taken.push(character);
  }
  return (reversed ? taken.reverse() : taken).join("");
}
