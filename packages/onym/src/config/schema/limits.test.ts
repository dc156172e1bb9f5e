import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LIMIT_TABLE } from "../limit-table.js";
import { DEFAULT_LIMITS, type Limits, limitsOf } from "../limits.js";
import { configFile } from "./config-schema.js";

it("fills in what a config does not say, and nothing else", () => {
  expect(limitsOf()).toEqual(DEFAULT_LIMITS);
  expect(limitsOf({ callMs: 7, pending: undefined })).toEqual({ ...DEFAULT_LIMITS, callMs: 7 });
});

it("has a default for every limit that a config may hold", () => {
  const { limits } = configFile.shape;
  expect(Object.keys(limits.def.innerType.shape)).toEqual(Object.keys(DEFAULT_LIMITS));
});

it("is documented in the table of docs/limits.md, which is written with vitest -u (SAFE-4)", async () => {
  const docs = "../../../../../docs/limits.md";
  const text = readFileSync(new URL(docs, import.meta.url), "utf8");
  const table = /^\| limit {2}.*\n(?:\|.*\n)+/m;
  expect(text).toMatch(table);
  await expect(text.replace(table, `${formatTable()}\n`)).toMatchFileSnapshot(docs);
});

function formatTable(): string {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  const rows = names.map((name) => {
    const { counts, beyond } = LIMIT_TABLE[name];
    return [`\`${name}\``, DEFAULT_LIMITS[name].toLocaleString("en"), unitOf(name), counts, beyond];
  });
  return formatRows([["limit", "default", "unit", "what is counted", "beyond the limit"], ...rows]).join(
    "\n",
  );
}

/** As the formatter of the project writes a table. */
function formatRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => column === 1;
  const format = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => (isNumber(n) ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, n) => (isNumber(n) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const [head = [], ...rest] = rows;
  return [format(head), format(rule), ...rest.map(format)];
}

function unitOf(name: string): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  return name.endsWith("Rate") ? "a second" : "";
}
