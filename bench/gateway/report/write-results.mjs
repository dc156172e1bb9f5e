// Results as files: raw numbers as JSON, a report as Markdown, plots as SVG.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeCommit, describeMachine } from "./describe-machine.mjs";
import { drawBars } from "./draw-bars.mjs";
import { formatMarkdown } from "./format-markdown.mjs";
import { checkGoals } from "./goals.mjs";
import { keyFor, summarise } from "./summarise.mjs";

const WAYS = ["http-http", "http-http-modern", "http-stdio", "stdio-stdio", "stdio-http"];

export function writeResults({ options, targets, scenarios, samples, failures, left, started, interrupted }) {
  const { quick, rounds, ms, retries, long, only, root, out } = options;
  const { commit, dirty } = describeCommit(root);
  const summary = summarise(samples);
  const goals = [...options.programs.keys()].map((name) => ({ name, list: checkGoals(summary, name) }));
  const results = {
    date: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 1000),
    commit,
    dirty,
    interrupted,
    machine: describeMachine(),
    options: { quick, rounds, ms, retries, long, only, targets: options.targets },
    targets: targets.map(({ id, label }) => ({ id, label })),
    scenarios: scenarios.map(({ id, title }) => ({ id, title, jobs: jobsOf(samples, id) })),
    goals,
    summary: Object.fromEntries(summary),
    samples,
    failures,
    left,
  };
  mkdirSync(out, { recursive: true });
  const name = `${results.date.slice(0, 10)}-${commit}`;
  const plots = drawPlots({ name, scenarios, targets, summary });
  for (const { file, svg } of plots) writeFileSync(join(out, file), svg);
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(join(out, `${name}.md`), formatMarkdown({ results, summary, goals, plots }));
  const told = goals
    .flatMap(({ list }) => list)
    .filter(({ outcome }) => outcome === "met" || outcome === "missed");
  const met = told.filter(({ outcome }) => outcome === "met").length;
  const failed = failures.length === 0 ? "" : `, ${failures.length} visits failed`;
  return {
    results,
    summary: `${samples.length} samples in ${results.seconds} s${failed}; ${met} of ${told.length} goals met\n${join(out, name)}.md`,
  };
}

/** In the order in which they were done. */
function jobsOf(samples, scenario) {
  return [...new Set(samples.filter((sample) => sample.scenario === scenario).map(({ job }) => job))];
}

function drawPlots({ name, scenarios, targets, summary }) {
  const panelsFor = (field) =>
    WAYS.map((way) => ({
      title: scenarios.find(({ id }) => id === way)?.title ?? way,
      bars: targets.flatMap(({ id, label }) => {
        if (id === "direct") return [];
        const spread = summary.get(keyFor(way, "call-64", id))?.[field];
        if (spread === undefined) return [];
        const tone = id.endsWith("onym") || id.includes("onym-") ? "ours" : id === "R" ? "floor" : "other";
        return [{ label, value: spread.median, min: spread.min, max: spread.max, tone }];
      }),
    }));
  const plot = (kind, title, note, field, format) => ({
    file: `${name}-${kind}.svg`,
    title,
    svg: drawBars({ title, note, panels: panelsFor(field), format }),
  });
  const whole = (value) => Math.round(value).toLocaleString("en");
  return [
    plot(
      "calls",
      "Small calls a second, 64 at once",
      "More is better. Medians, smallest to largest in brackets.",
      "perSecond",
      whole,
    ),
    plot(
      "cpu",
      "CPU of the gateway for each call",
      "Less is better. Its own process, without the servers behind it.",
      "cpuUs",
      (value) => `${whole(value)} µs`,
    ),
  ];
}
