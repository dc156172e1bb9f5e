// Metrics as Prometheus reads them: its text format 0.0.4.

import { BUCKETS, type Family, type HistogramSample, METRICS } from "./metric-table.js";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function formatMetrics(families: readonly Family[]): string {
  return families.map(formatFamily).join("");
}

function formatFamily(family: Family): string {
  const { name } = family;
  const { kind, help, labels: names } = METRICS[name];
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
  if ("samples" in family)
    for (const { labels, value } of family.samples)
      lines.push(`${name}${formatLabels(names, labels)} ${formatNumber(value)}`);
  else for (const histogram of family.histograms) lines.push(...formatHistogram(name, names, histogram));
  return `${lines.join("\n")}\n`;
}

function formatHistogram(
  name: string,
  names: readonly string[],
  { labels, counts, sum }: HistogramSample,
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = BUCKETS[index];
    const le = bound === undefined ? "+Inf" : String(bound);
    return `${name}_bucket${formatLabels([...names, "le"], [...labels, le])} ${total}`;
  });
  const tail = formatLabels(names, labels);
  return [...buckets, `${name}_sum${tail} ${formatNumber(sum)}`, `${name}_count${tail} ${total}`];
}

function formatLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
}
