// Audit records for people: one line for each call, its outcome beside its intent where both are known.

import { escapeText } from "@onym/core";
import type { StoredAuditRecord } from "../../store/store.js";
import { clipText, textWidth } from "../output/format-table.js";
import type { Style } from "../output/paint.js";
import { isoMoment, showMoment } from "../output/read-moment.js";
import type { Terminal } from "../terminal.js";

interface AuditRow {
  readonly at: number;
  readonly caller: string;
  readonly name: string;
  readonly decision: string;
  readonly outcome: string;
  readonly ms: number | undefined;
}

/** An intent and its outcome become one row, where the intent stands; the order stays. */
export function foldRecords(records: readonly StoredAuditRecord[]): readonly AuditRow[] {
  const outcomes = new Map<string, StoredAuditRecord>();
  const intents = new Set<string>();
  for (const record of records) {
    if (record.kind === "intent") intents.add(record.call);
    if (record.kind === "outcome") outcomes.set(record.call, record);
  }
  return records.flatMap((record) => {
    if (record.kind === "outcome" && intents.has(record.call)) return [];
    const end = record.kind === "intent" ? outcomes.get(record.call) : record;
    const isOpen = record.kind === "intent" && end === undefined;
    return [
      {
        at: record.at,
        caller: escapeText(record.caller),
        name: showName(record),
        decision: [record.decision, record.rule]
          .flatMap((text) => (text ? [escapeText(text)] : []))
          .join(", "),
        outcome: isOpen ? "…" : escapeText(end?.outcome ?? ""),
        ms: end?.ms,
      },
    ];
  });
}

/** The name as it was sent, and where it led; once where they are the same. */
function showName({ sent, canonical, tool }: StoredAuditRecord): string {
  const led = canonical ?? tool;
  if (sent === undefined || sent === led) return escapeText(led ?? sent ?? "");
  return led === undefined ? escapeText(sent) : `${escapeText(sent)} → ${escapeText(led)}`;
}

const TITLES = ["TIME (UTC)", "CALLER", "NAME", "DECISION", "OUTCOME", "MS"];
const NAME = 2;
const LEAST_NAME = 20;
const GAP = "  ";

/** Lines in columns that only ever get wider, so that rows which come later stay under those before. */
export function createAuditLines({
  paint,
  columns,
}: Pick<Terminal, "paint" | "columns">): (rows: readonly AuditRow[]) => readonly string[] {
  const widths = TITLES.map((title) => title.length);
  let isFirst = true;
  return (rows) => {
    const cells = rows.map(cellsOf);
    for (const row of cells)
      row.forEach((cell, column) => {
        widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
      });
    const over =
      widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) -
      (columns ?? Number.POSITIVE_INFINITY);
    if (over > 0) widths[NAME] = Math.max(LEAST_NAME, (widths[NAME] ?? 0) - over);
    const lineOf = (row: readonly string[], styleOf: (column: number) => Style | undefined): string =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          const text = clipText(cell, width);
          return paint(styleOf(column), text) + " ".repeat(Math.max(0, width - textWidth(text)));
        })
        .join(GAP)
        .trimEnd();
    const head = isFirst && rows.length > 0 ? [lineOf(TITLES, () => "dim")] : [];
    if (rows.length > 0) isFirst = false;
    return [...head, ...cells.map((row, index) => lineOf(row, (column) => styleOf(rows[index], column)))];
  };
}

function cellsOf({ at, caller, name, decision, outcome, ms }: AuditRow): readonly string[] {
  return [showMoment(at), caller, name, decision, outcome, ms === undefined ? "" : String(Math.round(ms))];
}

function styleOf(row: AuditRow | undefined, column: number): Style | undefined {
  if (column === 0) return "dim";
  if (column === NAME) return "bold";
  if (column === 3 && /^(deny|refused|rejected|revoked)/.test(row?.decision ?? "")) return "red";
  return column === 4 && /error/.test(row?.outcome ?? "") ? "yellow" : undefined;
}

/** A record for machines: as it is stored, and its time in words. */
export function reportRecord(record: StoredAuditRecord): object {
  return { time: isoMoment(record.at), ...record };
}
