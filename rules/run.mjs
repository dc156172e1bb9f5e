// npm run rules [CLIENT…]: installs clients from the registry, one at a time, runs each directly and through Onym, and
// writes what was seen to rules/results. `--list` names them, `--verbose` shows what they print. `--slow` tries them with servers
// that take four seconds to start, over stdio, and writes nothing.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLIENTS } from "./clients.mjs";
import { openInstaller } from "./install.mjs";
import { ALL_TOOLS } from "./nasty-tools.mjs";
import { formatRecord, summarize, writeReports } from "./report.mjs";
import { runTrial, SETTINGS } from "./trial.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);

const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const ids = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
/** How long servers take to start with `--slow`. */
const DELAY_MS = 4000;
const unknown = ids.filter((id) => !CLIENTS.some((client) => client.id === id));
if (flags.includes("--list")) {
  process.stdout.write(`${CLIENTS.map(({ id, packages }) => `${id}  ${packages.join(" ")}`).join("\n")}\n`);
} else if (unknown.length > 0) {
  say(`rules: there is no client ${unknown.join(", ")}; npm run rules -- --list names them`);
  process.exitCode = 2;
} else {
  const chosen = ids.length === 0 ? CLIENTS : CLIENTS.filter(({ id }) => ids.includes(id));
  const installer = openInstaller(say);
  let isFine = true;
  try {
    for (const client of chosen) isFine = (await runClient(client, installer)) && isFine;
  } finally {
    installer.close();
  }
  if (!flags.includes("--slow")) writeReports();
  process.exitCode = isFine ? 0 : 1;
}

async function runClient(client, installer) {
  const installed = installer.install(client);
  if (installed === undefined) {
    say(`rules: ${client.id} could not be installed`);
    return false;
  }
  if (flags.includes("--slow")) return runSlowly(client, installer, installed);
  const trials = {};
  for (const setting of SETTINGS) {
    const announces = trials.direct?.announces;
    trials[setting] = await runTrial(client, setting, { ...installed, announces });
    say(`rules: ${client.id} ${setting}: ${summarize(trials[setting])}`);
    if (flags.includes("--verbose")) say(trials[setting].printed);
  }
  installer.remove(client);
  const record = formatRecord({ client, version: installed.version, trials });
  writeFileSync(here(`results/${client.id}.json`), record);
  return SETTINGS.slice(1).every((setting) => summarize(trials[setting]) === "all tools right");
}

async function runSlowly(client, installer, installed) {
  const outcomes = [];
  for (const setting of ["direct", "stdio"]) {
    const trial = await runTrial(client, setting, { ...installed, delayMs: DELAY_MS });
    const { lost, reached } = countTools(trial);
    outcomes.push(reached);
    say(`rules: ${client.id} ${installed.version} ${setting}, slow: ${reached} right, ${lost} lost`);
    if (flags.includes("--verbose")) say(trial.printed);
  }
  installer.remove(client);
  return outcomes.at(-1) === ALL_TOOLS.length;
}

function countTools({ names }) {
  const sent = names.filter(({ lost }) => !lost);
  return {
    lost: names.length - sent.length,
    reached: sent.filter(({ reached }) => reached !== false).length,
  };
}
