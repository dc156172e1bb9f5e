// Audit records for people: one line for each call, its outcome beside its intent where both are known.

import { escapeText } from "@onym/core";
import { AUDIT_COLUMNS, type AuditColumn, type StoredAuditRecord } from "../../audit/audit-record.js";
import { clipText, textWidth } from "../../output/format-table.js";
import type { Style } from "../../output/paint.js";
import type { Terminal } from "../../output/terminal.js";
import { isoMoment, showMoment } from "../read-moment.js";

/** What a line shows, a text for each column. `AUDIT_FIELDS` says which fields each of them is made from. */
type AuditRow = Readonly<Record<AuditColumn, string>>;

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
        time: showMoment(record.at),
        caller: escapeText(record.caller),
        name: showName(record),
        decision: [record.decision, record.rule]
          .flatMap((text) => (text ? [escapeText(text)] : []))
          .join(", "),
        outcome: isOpen ? "…" : escapeText(end?.outcome ?? ""),
        ms: end?.ms === undefined ? "" : String(Math.round(end.ms)),
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

const TITLES: AuditRow = {
  time: "TIME (UTC)",
  caller: "CALLER",
  name: "NAME",
  decision: "DECISION",
  outcome: "OUTCOME",
  ms: "MS",
};
const MIN_NAME = 20;
const GAP = "  ";

/** Lines in columns that only ever get wider, so that rows which come later stay under those before. */
export function createAuditLines({
  paint,
  columns,
}: Pick<Terminal, "paint" | "columns">): (rows: readonly AuditRow[]) => readonly string[] {
  const widths = new Map(AUDIT_COLUMNS.map((column) => [column, TITLES[column].length]));
  const widthOf = (column: AuditColumn): number => widths.get(column) ?? 0;
  let isFirst = true;
  return (rows) => {
    for (const row of rows)
      for (const column of AUDIT_COLUMNS)
        widths.set(column, Math.max(widthOf(column), textWidth(row[column])));
    const all = [...widths.values()].reduce((sum, width) => sum + width + GAP.length, -GAP.length);
    const over = all - (columns ?? Number.POSITIVE_INFINITY);
    if (over > 0) widths.set("name", Math.max(MIN_NAME, widthOf("name") - over));
    const lineOf = (row: AuditRow, styleOf: (column: AuditColumn, row: AuditRow) => Style | undefined) =>
      AUDIT_COLUMNS.map((column) => {
        const width = widthOf(column);
        const text = clipText(row[column], width);
        return paint(styleOf(column, row), text) + " ".repeat(Math.max(0, width - textWidth(text)));
      })
        .join(GAP)
        .trimEnd();
    const head = isFirst && rows.length > 0 ? [lineOf(TITLES, () => "dim")] : [];
    if (rows.length > 0) isFirst = false;
    return [...head, ...rows.map((row) => lineOf(row, styleOf))];
  };
}

function styleOf(column: AuditColumn, row: AuditRow): Style | undefined {
  if (column === "time") return "dim";
  if (column === "name") return "bold";
  if (column === "decision" && /^(deny|refused|rejected|revoked)/.test(row.decision)) return "red";
  return column === "outcome" && /error/.test(row.outcome) ? "yellow" : undefined;
}

/** A record for machines: as it is stored, and its time in words. */
export function reportRecord(record: StoredAuditRecord): object {
  return { time: isoMoment(record.at), ...record };
}
