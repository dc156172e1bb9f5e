// The report for people: goals first, then every figure with its spread.

import { keyFor } from "./summarise.mjs";

const grouped = (value, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const short = (value) => grouped(value, value < 10 ? 2 : value < 100 ? 1 : 0);
const megabytes = (value) => grouped(value / 1e6, 1);

/** Which columns a job has, by the fields that its samples hold. */
const COLUMNS = [
  ["calls/s", "perSecond", (value) => grouped(value)],
  ["CPU µs a call", "cpuUs", short],
  ["p50 ms", "p50", short],
  ["p99 ms", "p99", short],
  ["ms", "ms", short],
  ["ms, connecting included", "wholeMs", short],
  ["RSS MB", "rss", megabytes],
  ["PSS MB", "pss", megabytes],
];

export function formatMarkdown({ results, summary, goals, plots }) {
  const { machine, options, commit, dirty, date } = results;
  const noisy = [...summary.values()].filter((entry) => entry.noisy).length;
  const lines = [
    "# Benchmark",
    "",
    `${date.slice(0, 16).replace("T", " ")} UTC, commit ${commit}${dirty ? " with changes" : ""}, ${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, Node ${machine.node}.`,
    `${options.rounds} fresh processes of each target, interleaved; samples of ${options.ms} ms after warming up. Medians, with the smallest and largest in brackets.`,
    noisy === 0
      ? "The rest of the machine was quiet in all samples that count."
      : `**${noisy} of ${summary.size} figures, marked ~, come from samples in which other processes used more than 8 % of the machine**; they are no basis for comparisons, nor are the ratios made of them.`,
    ...(results.interrupted ? ["", "**The run was interrupted: it is not complete.**"] : []),
    ...(options.quick
      ? ["", "**A quick run: it shows that the benchmark works, and its figures mean nothing.**"]
      : []),
    "",
    '"Everything on" has naming, policy, approvals, audit on the default store, and tracing of every request to a local collector.',
    "",
    "## Goals",
    "",
  ];
  for (const { name, list } of goals)
    lines.push(...(name === "" ? [] : [`### ${name}`, ""]), ...goalTable(list), "");
  for (const plot of plots) lines.push(`![${plot.title}](${plot.file})`, "");
  for (const scenario of results.scenarios) lines.push(...scenarioTables(scenario, results, summary));
  lines.push("## Left out", "", ...leftOut(results));
  return `${lines.join("\n").trimEnd()}\n`;
}

function goalTable(list) {
  const rows = new Map();
  for (const goal of list) {
    const key = `${goal.measure} | ${goal.against}`;
    rows.set(key, { ...rows.get(key), [goal.column]: goal });
  }
  const cell = (goal) => {
    if (goal === undefined) return "";
    const { relation, wanted, ratio, noisy, outcome, missedBy } = goal;
    if (ratio === undefined) return `${relation} ${wanted}: not measured`;
    const said = outcome === "met" ? "met" : `**missed by ${grouped(missedBy * 100)} %**`;
    return `${relation} ${wanted}: ${noisy ? "~ " : ""}${short(ratio)}, ${said}`;
  };
  const bare = (goal) => (goal === undefined ? "" : `${goal.noisy ? "~ " : ""}${short(goal.ratio)}`);
  return [
    "| measure | against | audit and tracing off | everything on | R itself |",
    "|---|---|---|---|--:|",
    ...[...rows].map(
      ([key, { off, on, floor }]) => `| ${key} | ${cell(off)} | ${cell(on)} | ${bare(floor)} |`,
    ),
  ];
}

function scenarioTables({ id, title, jobs }, { targets, samples }, summary) {
  const lines = [`## ${title}`, ""];
  for (const { target, top } of samples.filter(
    (sample) => sample.scenario === id && sample.top !== undefined,
  )) {
    lines.push(...profileTable(target, top));
  }
  for (const job of jobs) {
    const entries = targets.flatMap((target) => {
      const entry = summary.get(keyFor(id, job, target.id));
      return entry === undefined ? [] : [{ target, entry }];
    });
    const columns = COLUMNS.filter(([, field]) => entries.some(({ entry }) => entry[field] !== undefined));
    if (columns.length === 0) continue;
    lines.push(
      `\`${id}/${job}\``,
      "",
      `| target | ${columns.map(([head]) => head).join(" | ")} | samples |`,
      `|---|${columns.map(() => "--:|").join("")}--:|`,
      ...entries.map(({ target, entry }) => {
        const cells = columns.map(([, field, format]) => spreadCell(entry[field], format));
        return `| ${entry.noisy ? "~ " : ""}${target.label} | ${cells.join(" | ")} | ${entry.samples}${entry.dropped > 0 ? ` of ${entry.samples + entry.dropped}` : ""} |`;
      }),
      "",
    );
  }
  return samples.some((sample) => sample.scenario === id) ? lines : [];
}

function profileTable(target, top) {
  return [
    `| \`${target}\`, function | share of its time |`,
    "|---|--:|",
    ...top.map(({ name, share }) => `| \`${name.replaceAll("|", "\\|")}\` | ${grouped(share * 100, 1)} % |`),
    "",
  ];
}

function spreadCell(spread, format) {
  if (spread === undefined) return "";
  const { median, min, max } = spread;
  return min === max ? format(median) : `${format(median)} (${format(min)}–${format(max)})`;
}

function leftOut({ left, failures }) {
  const text = (reason) => reason.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 200);
  const lines = [
    ...left.map(({ scenario, target, reason }) => `- ${scenario}, ${target}: ${text(reason)}`),
    ...failures.map(
      ({ scenario, target, round, reason }) =>
        `- ${scenario}, ${target}, round ${round + 1}, **failed**: ${text(reason)}`,
    ),
  ];
  return lines.length === 0 ? ["Nothing."] : lines;
}
