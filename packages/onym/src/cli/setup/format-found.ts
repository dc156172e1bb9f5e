// The files of clients that were found, as a table: who, where, and what became of each server.

import { escapeText, quoteText } from "@onym/core";
import type { MergedEntry } from "../../clients/merge-servers.js";
import { fitColumns } from "../../output/fit-columns.js";
import { type Cell, formatTable } from "../../output/format-table.js";
import type { Terminal } from "../../output/terminal.js";

interface ReportedFile {
  readonly title: string;
  readonly file: string;
  readonly entries: readonly MergedEntry[];
  readonly problem: string | undefined;
}

export function formatFound(files: readonly ReportedFile[], { paint, columns }: Terminal): readonly string[] {
  if (files.length === 0) return [];
  const head: readonly Cell[] = ["CLIENT", "FILE", "SERVER", ""].map((text) => ({
    text,
    style: "dim" as const,
  }));
  const rows = files.flatMap(({ title, file, entries, problem }): readonly (readonly Cell[])[] => {
    const owner: readonly Cell[] = [{ text: title, style: "bold" }, escapeText(file)];
    if (problem !== undefined)
      return [[...owner, { text: "not read", style: "yellow" }, escapeText(problem)]];
    if (entries.length === 0) return [[...owner, { text: "none", style: "dim" }]];
    return entries.map((entry, index) => [...(index === 0 ? owner : ["", ""]), ...showEntry(entry)]);
  });
  return formatTable(
    fitColumns([head, ...rows], columns, [
      { column: 1, least: 24 },
      { column: 3, least: 16 },
      { column: 2, least: 12 },
      { column: 1, least: 12 },
    ]),
    paint,
  );
}

function showEntry(entry: MergedEntry): readonly Cell[] {
  const id = escapeText(entry.id);
  if (entry.outcome === "left-out")
    return [
      { text: id, style: "dim" },
      { text: `left out: ${entry.reason}`, style: "yellow" },
    ];
  if (entry.outcome === "same")
    return [
      { text: id, style: "dim" },
      { text: sameAs(entry.id, entry.as), style: "dim" },
    ];
  return [{ text: id, style: "green" }, entry.as === entry.id ? "" : `as ${quoteText(entry.as)}`];
}

function sameAs(id: string, as: string): string {
  return id === as ? "the same again" : `the same as ${quoteText(as)}`;
}
