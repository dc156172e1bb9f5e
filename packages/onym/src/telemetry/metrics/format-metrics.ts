// Metrics as Prometheus reads them: its text format 0.0.4.

import type { Steps } from "../../model/run-slices.js";
import { BUCKETS, type Family, type HistogramSample, METRICS } from "./metric-table.js";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const PIECE_LENGTH = 65_536;

/** The text as bytes, a sample or a histogram per step: a thousand tools have 25,000 lines (SAFE-4). */
export function* metricSteps(families: readonly Family[]): Steps<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const family of families)
    for (const lines of linesOf(family)) {
      text += lines;
      if (text.length >= PIECE_LENGTH) {
        pieces.push(Buffer.from(text));
        text = "";
      }
      yield;
    }
  pieces.push(Buffer.from(text));
  return Buffer.concat(pieces);
}

function* linesOf(family: Family): Generator<string> {
  const { name } = family;
  const { kind, help, labels: names } = METRICS[name];
  yield `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`;
  if ("samples" in family)
    for (const { labels, value } of family.samples)
      yield `${name}${inBraces(formatLabels(names, labels))} ${formatNumber(value)}\n`;
  else for (const histogram of family.histograms) yield formatHistogram(name, names, histogram);
}

function formatHistogram(
  name: string,
  names: readonly string[],
  { labels, counts, sum }: HistogramSample,
): string {
  const own = formatLabels(names, labels);
  const before = own === "" ? "" : `${own},`;
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = BUCKETS[index];
    const le = bound === undefined ? "+Inf" : String(bound);
    return `${name}_bucket{${before}le="${le}"} ${total}\n`;
  });
  const tail = inBraces(own);
  return `${buckets.join("")}${name}_sum${tail} ${formatNumber(sum)}\n${name}_count${tail} ${total}\n`;
}

function inBraces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function formatLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
}
