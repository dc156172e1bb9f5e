// What a record of the lab looks like, and the table of all of them: tools right without Onym and with it.

import { readdirSync, readFileSync } from "node:fs";

/** `all tools right`, or what went wrong, in words. */
export function summarize({ names, unforeseen = [], exitCode, output }) {
  const lost = names.filter(({ lost }) => lost).length;
  const wrong = names.filter(({ reached }) => reached === false).length;
  if (lost === names.length)
    return `no tool reached the provider (exit ${exitCode})${output ? `: ${lastLine(output)}` : ""}`;
  const parts = [
    ...(lost > 0 ? [`${lost} of ${names.length} lost`] : []),
    ...(wrong > 0 ? [`${wrong} called wrong`] : []),
    ...(unforeseen.length > 0 ? [`${unforeseen.length} sent otherwise than foreseen`] : []),
  ];
  return parts.length === 0 ? "all tools right" : parts.join(", ");
}

const lastLine = (text) => text.trim().split("\n").at(-1).slice(0, 120);

/** `direct` has the shape of the runs in test/data/client-runs.json; of the others, what differs is kept. */
export function formatRecord({ client, version, trials }) {
  const { direct, ...through } = trials;
  const date = new Date().toISOString().slice(0, 10);
  const { names, setting: _setting, ...told } = direct;
  const record = {
    client: client.id,
    title: client.title,
    version,
    date,
    through: Object.fromEntries(
      Object.entries(through).map(([setting, { names, profile, unforeseen }]) => [
        setting,
        { outcome: summarize(through[setting]), profile, tools: names.length, unforeseen },
      ]),
    ),
    outcome: summarize(direct),
  };
  const run = { client: client.id, version, date, profile: client.profile, ...told };
  const lines = names.map((name) => `    ${JSON.stringify(name)}`).join(",\n");
  const head = JSON.stringify(record, null, 1).slice(0, -2);
  return `${head},\n "direct": ${JSON.stringify(run).slice(0, -1)}, "names": [\n${lines}\n  ]}\n}\n`;
}

/** Markdown, one row a client. */
export function formatTable(folder) {
  const records = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
  const head = ["client", "release", "run on", "without Onym", "with Onym (stdio, HTTP, own profile)"];
  const rows = records.map(({ title, version, date, outcome, through }) => {
    const outcomes = [...new Set(Object.values(through).map((each) => each.outcome))];
    return [title, version, date, outcome.replace(/:.*/s, ""), outcomes.join("; ").replaceAll("|", "\\|")];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at].length)));
  const line = (cells, fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at], fill)).join(" | ")} |`;
  return `${[
    line(head),
    line(
      head.map(() => ""),
      "-",
    ),
    ...rows.map((row) => line(row)),
  ].join("\n")}\n`;
}
