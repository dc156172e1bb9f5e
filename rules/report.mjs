// What a record of the lab looks like, and what is written from all of them: the table of docs/client-runs.md and the short
// one of the README. `node rules/report.mjs` writes both again.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE = here("../docs/client-runs.md");
const README = here("../README.md");
const START = "<!-- client runs: written by rules/report.mjs -->";
const END = "<!-- end of client runs -->";

/** `all tools right`, or what went wrong, in words. */
export function summarize({ names, unforeseen = [], exitCode, output }) {
  const lost = names.filter(({ lost }) => lost).length;
  const wrong = names.filter(({ reached }) => reached === false).length;
  if (lost === names.length)
    return `no tool reached the provider (exit ${exitCode})${output ? `: ${firstLine(output)}` : ""}`;
  const parts = [
    ...(lost > 0 ? [`${lost} of ${names.length} lost`] : []),
    ...(wrong > 0 ? [`${wrong} called wrong`] : []),
    ...(unforeseen.length > 0 ? [`${unforeseen.length} sent otherwise than foreseen`] : []),
  ];
  return parts.length === 0 ? "all tools right" : parts.join(", ");
}

const firstLine = (text) => text.trim().split("\n")[0].trim().slice(0, 160);

/** `direct` has the shape of the runs in test/data/client-runs.json; of the others, what differs is kept. */
export function formatRecord({ client, version, trials }) {
  const { direct, ...through } = trials;
  const date = new Date().toISOString().slice(0, 10);
  const { names, setting: _setting, printed: _printed, ...told } = direct;
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

/** Writes what is made from the records. */
export function writeReports() {
  const { page, readme } = formatReports();
  writeFileSync(PAGE, page);
  writeFileSync(README, readme);
}

/** `{ page, readme }`: both texts with their tables as of now. */
export function formatReports() {
  const records = readRecords();
  return { page: withTable(PAGE, formatTable(records)), readme: withTable(README, formatShort(records)) };
}

function withTable(path, table) {
  const text = readFileSync(path, "utf8");
  const [before] = text.split(START);
  const after = text.split(END)[1];
  return `${before}${START}\n\n${table}\n${END}${after}`;
}

function readRecords() {
  const folder = here("results");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")))
    .sort((a, b) => (a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1));
}

function formatTable(records) {
  const head = ["client", "release", "run on", "without Onym", "with Onym (stdio, HTTP, own profile)"];
  return formatMarkdown(
    head,
    records.map((record) => [record.title, record.version, record.date, without(record), withOnym(record)]),
  );
}

/** One row a client, its release beside its name, and the dates below: for pages that have little room. */
function formatShort(records) {
  const rows = records.map((record) => [
    `${record.title} ${record.version}`,
    without(record),
    withOnym(record),
  ]);
  const dates = records.map(({ date }) => date).sort();
  const [first, last] = [dates[0], dates.at(-1)];
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  const { length: tools } = records[0].direct.names;
  return `${formatMarkdown(["client", "without Onym", "with Onym"], rows)}
${records.length} clients, run ${when} with ${tools} tools on three servers; with Onym over stdio and HTTP.
`;
}

const without = ({ outcome }) => outcome.replace(/:.*/s, "");
const withOnym = ({ through }) =>
  [...new Set(Object.values(through).map(({ outcome }) => outcome))].join("; ").replaceAll("|", "\\|");

function formatMarkdown(head, rows) {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at].length)));
  const line = (cells, fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at], fill)).join(" | ")} |`;
  const rule = line(
    head.map(() => ""),
    "-",
  );
  return `${[line(head), rule, ...rows.map((row) => line(row))].join("\n")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeReports();
