// The files for Prometheus and Grafana speak of metrics and labels that there are, and the docs of all of them (OBS-1).

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { METRICS } from "./metric-table.js";

const file = (path: string): string =>
  readFileSync(new URL(`../../../../../${path}`, import.meta.url), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const rules: readonly Rule[] = parse(file("deploy/prometheus/alerts.yaml")).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
);
const panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[] =
  JSON.parse(file("deploy/prometheus/dashboard.json")).panels;

const expressions: readonly (readonly [string, string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** What an expression speaks of: metrics, and labels beside them. */
function readExpression(expr: string) {
  const names = [...expr.matchAll(/\b((?:onym|process)_\w+)/g)].map(([, name = ""]) => name);
  const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
  );
  const inBy = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
  return { names, labels: [...inBraces, ...inBy] };
}

function metricOf(name: string): keyof typeof METRICS | undefined {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return Object.keys(METRICS).find((known) => known === name || known === base) as keyof typeof METRICS;
}

describe("files of deploy/prometheus", () => {
  it.each(expressions)("%s: %s", (_, expr) => {
    const { names, labels } = readExpression(expr);
    expect(names.length).toBeGreaterThan(0);
    const known = names.flatMap((name) => {
      const metric = metricOf(name);
      expect(metric, name).toBeDefined();
      const isHistogram = metric !== undefined && METRICS[metric].kind === "histogram";
      expect(name !== metric, `${name}: buckets of a histogram, and only of one`).toBe(isHistogram);
      return metric === undefined ? [] : METRICS[metric].labels;
    });
    for (const label of labels) expect([...known, "le", "instance"]).toContain(label);
  });

  it("draw or watch every metric there is", () => {
    const used = new Set(expressions.flatMap(([, expr]) => readExpression(expr).names.map(metricOf)));
    expect(Object.keys(METRICS).filter((name) => !used.has(name as keyof typeof METRICS))).toEqual([]);
  });

  it("and docs/metrics.md explains every metric, with its labels", () => {
    const text = file("docs/metrics.md").replaceAll(/ +/g, " ");
    for (const [name, { labels }] of Object.entries(METRICS))
      expect(text).toContain(`| \`${name}\` |${labels.map((label) => ` \`${label}\``).join(",")} |`);
  });
});
