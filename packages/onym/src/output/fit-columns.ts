// Tables on a narrow screen: some columns give way, in a given order and down to a least width.

import { type Cell, clipText, textWidth } from "./format-table.js";

const GAP = 2;

/** A column that may be shortened, and how far. */
export interface Yielding {
  readonly column: number;
  readonly least: number;
}

/** The rows with cells clipped as far as needed. Without a known width nothing is. */
export function fitColumns(
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
  yielding: readonly Yielding[],
): readonly (readonly Cell[])[] {
  const widths = columnWidths(rows);
  let over = widths.reduce((sum, width) => sum + GAP + width, -GAP) - (columns ?? Number.POSITIVE_INFINITY);
  if (over <= 0) return rows;
  for (const { column, least } of yielding) {
    const width = widths[column] ?? 0;
    const less = Math.max(0, Math.min(over, width - least));
    widths[column] = width - less;
    over -= less;
  }
  return rows.map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      if (typeof cell === "string") return clipText(cell, width);
      return { ...cell, text: clipText(cell.text, width) };
    }),
  );
}

/** The widest cell of each column. */
export function columnWidths(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      const text = typeof cell === "string" ? cell : cell.text;
      widths[column] = Math.max(widths[column] ?? 0, textWidth(text));
    });
  }
  return widths;
}
