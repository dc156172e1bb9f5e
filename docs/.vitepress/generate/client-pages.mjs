// A page for each client and provider: its rules and sources from the profiles, and what it did when it was run.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../packages/onym/dist/bin.js", import.meta.url));
const results = new URL("../../../rules/results/", import.meta.url);

const KINDS = {
  client: "Clients",
  provider: "Model providers",
  framework: "Libraries and frameworks",
  gateway: "Gateways",
};

const CONFIDENCE = {
  observed: "seen by running it",
  documented: "documented by its makers",
  "verified-in-code": "read in its source",
  reported: "reported by users",
  assumed: "assumed",
};

export function clientPages() {
  const { profiles } = JSON.parse(
    execFileSync(process.execPath, [program, "profiles", "--json"], { encoding: "utf8", maxBuffer: 2 ** 26 }),
  );
  const runs = readRuns();
  return [
    { id: "all", content: listPage(profiles, runs) },
    ...profiles.map((profile) => ({ id: profile.id, content: profilePage(profile, runs.get(profile.id)) })),
  ];
}

/** The record of each run under the profile that it was run for. */
function readRuns() {
  const runs = new Map();
  for (const file of readdirSync(results).filter((name) => name.endsWith(".json"))) {
    const run = JSON.parse(readFileSync(new URL(file, results), "utf8"));
    const id = run.direct?.profile;
    if (typeof id === "string") runs.set(id, run);
  }
  return runs;
}

function listPage(profiles, runs) {
  const kinds = [...new Set(profiles.map(({ kind }) => kind))].sort();
  const sections = kinds.map((kind) => {
    const rows = profiles
      .filter((each) => each.kind === kind)
      .map(
        (each) =>
          `| [${escapeText(each.title)}](/clients-and-providers/${each.id}) | \`${each.id}\` | ${roomOf(each)} | ${sureOf(each, runs)} |`,
      );
    return `## ${KINDS[kind] ?? kind}\n\n| name | profile | room for a name | how we know |\n| --- | --- | ---: | --- |\n${rows.join("\n")}`;
  });
  return [
    "# Clients and providers",
    `The rules Onym knows, ${profiles.length} of them: what each takes, adds, rewrites and drops. "Room" is what is left for a name where Onym is registered as \`onym\`. \`onym profiles ID\` prints the same.`,
    ...sections,
  ].join("\n\n");
}

function profilePage(profile, run) {
  return [
    `# ${escapeText(profile.title)}`,
    profile.retired ? "::: warning Retired\nThis product is no longer offered.\n:::" : "",
    "## Rules",
    rulesTable(profile),
    escapeText(profile.notes ?? ""),
    "## Seen by running it",
    run === undefined
      ? `Not run yet: this page says what is ${CONFIDENCE[profile.confidence] ?? profile.confidence}. [How clients are run](/client-runs).`
      : runSection(run),
    "## With Onym",
    withOnym(profile),
    "## Sources",
    (profile.sources ?? []).map((source) => `- ${escapeText(source)}`).join("\n") || "None on record.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function rulesTable(profile) {
  const { minLength, maxLength, prefixAddedByClient: prefix, combinedMaxLength } = profile;
  const rows = [
    ["profile", code(profile.id)],
    ["kind", profile.kind],
    ["characters", profile.pattern === undefined ? "any" : code(profile.pattern)],
    ["length", `${minLength ?? 1} to ${maxLength ?? "any number of"} characters`],
    ["first character", profile.firstChar === undefined ? undefined : code(profile.firstChar)],
    ["the client adds", prefix ? code(prefix) : "nothing"],
    ["limit with that", combinedMaxLength],
    ["room for a name", roomOf(profile)],
    ["most tools", profile.maxTools],
    [
      "takes up list_changed",
      profile.listChanged === undefined ? undefined : profile.listChanged ? "yes" : "no",
    ],
    [
      "a name that breaks the rules",
      profile.onViolation === undefined ? undefined : escapeText(profile.onViolation),
    ],
    [
      "announces itself as",
      profile.clientInfoNames?.length > 0 ? profile.clientInfoNames.map(code).join(" ") : undefined,
    ],
    ["as of", `${profile.asOf}, ${CONFIDENCE[profile.confidence] ?? profile.confidence}`],
  ];
  const lines = rows
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `| ${key} | ${value} |`);
  return ["| rule | what holds |", "| --- | --- |", ...lines].join("\n");
}

function runSection(run) {
  const direct = run.direct ?? {};
  const lost = (direct.names ?? []).filter(({ sent }) => sent === undefined || sent === null);
  const changed = (direct.names ?? []).filter(({ sent }) => typeof sent === "string").slice(0, 8);
  const outcome = ["stdio", "http", "own"].map((way) => run.through?.[way]?.outcome).filter(Boolean);
  return [
    `Release ${escapeText(run.version)}, run on ${run.date} against a recording provider with three servers of 48 tools ([method](/client-runs)).`,
    `- without Onym: ${lost.length === 0 ? "no tool lost" : `${lost.length} of ${direct.names.length} tools never reached the model`}`,
    `- with Onym over stdio, HTTP, and under this profile by name: ${[...new Set(outcome)].map(escapeText).join("; ")}`,
    direct.builtIn?.length > 0 ? `- its own tools: ${direct.builtIn.map(code).join(" ")}` : "",
    changed.length === 0
      ? ""
      : `\n| server | raw name | sent without Onym |\n| --- | --- | --- |\n${changed.map(({ server, raw, sent }) => `| ${code(server)} | ${code(raw)} | ${code(sent)} |`).join("\n")}`,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function withOnym({ id, kind }) {
  const endpoint = `\`http://127.0.0.1:6696/mcp/${id}\``;
  return kind === "provider"
    ? `Adapters and \`onym names --profile ${id}\` give names that it takes; over HTTP, ${endpoint}.`
    : `Onym recognises it where it says who it is; to choose this profile by name, register ${endpoint}. [How to register](/clients).`;
}

function roomOf({ room }) {
  return room === undefined || room === null ? "any" : room;
}

function sureOf({ id, confidence, asOf }, runs) {
  return runs.has(id)
    ? `run ${runs.get(id).version}, ${runs.get(id).date}`
    : `${CONFIDENCE[confidence] ?? confidence}, ${asOf}`;
}

function code(text) {
  const plain = String(text).replaceAll("|", "\\|").replaceAll("`", "'").replaceAll("\n", " ");
  // Vue reads double braces even in code.
  return `<code v-pre>${escapeHtml(plain)}</code>`;
}

function escapeHtml(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("_", "&#95;")
    .replaceAll("*", "&#42;")
    .replaceAll("[", "&#91;");
}

function escapeText(text) {
  return escapeHtml(String(text)).replaceAll("|", "\\|").replaceAll("{", "&#123;").replaceAll("\n", " ");
}
