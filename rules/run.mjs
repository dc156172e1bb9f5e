// npm run rules [CLIENT…]: installs clients from the registry, one at a time, runs each directly and through Onym, and
// writes what was seen to rules/results. `--list` names them, `--verbose` shows what they print.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLIENTS } from "./clients.mjs";
import { openInstaller } from "./install.mjs";
import { formatRecord, summarize, writeReports } from "./report.mjs";
import { runTrial, SETTINGS } from "./trial.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);

const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const ids = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
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
  writeReports();
  process.exitCode = isFine ? 0 : 1;
}

async function runClient(client, installer) {
  const installed = installer.install(client);
  if (installed === undefined) {
    say(`rules: ${client.id} could not be installed`);
    return false;
  }
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
