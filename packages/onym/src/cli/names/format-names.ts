// Names for people: one line a tool; on a screen that is too narrow, what does not fit goes below, indented.

import { escapeText, explainWhy, type NamedTool } from "@onym/core";
import { columnWidths } from "../output/fit-columns.js";
import { type Cell, formatTable } from "../output/format-table.js";
import { fitLine, wrapText } from "../output/wrap-text.js";
import type { Terminal } from "../terminal.js";

export function formatNames(
  tools: readonly NamedTool[],
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const rows = tools.map(({ name, tool }): readonly Cell[] => [
    { text: escapeText(name), style: "bold" },
    escapeText(tool.canonical),
  ]);
  const reasons = tools.map(({ why }) => (why.kind === "wish" ? "" : explainWhy(why)));
  const dim = (lines: readonly string[]) => lines.map((line) => paint("dim", line));
  if (columns === undefined) {
    return formatTable(
      rows.map((row, index) => [...row, { text: reasons[index] ?? "", style: "dim" }]),
      paint,
    );
  }
  const width = columnWidths(rows).reduce((sum, each) => sum + GAP + each, -GAP);
  const heads =
    width <= columns
      ? formatTable(rows, paint).map((line) => [line])
      : rows.map((row) => stack(row, columns));
  return heads.flatMap((head, index) => {
    const reason = reasons[index] ?? "";
    const below = reason === "" ? [] : wrapText(reason, { columns, indent: "    " });
    return [
      ...head.map((line, at) => (at === 0 && head.length > 1 ? paint("bold", line) : line)),
      ...dim(below),
    ];
  });
}

const GAP = 2;

/** The name, and everything else below it. */
function stack(row: readonly Cell[], columns: number): readonly string[] {
  const texts = row
    .map((cell) => (typeof cell === "string" ? cell : cell.text))
    .filter((text) => text !== "");
  return texts.map((text, index) => fitLine(index === 0 ? text : `  ${text}`, columns));
}
