// npm run bench: gateways side by side on this machine, told as medians and ratios. Options: --help.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HELP, readOptions } from "./options.mjs";
import { isWanted, planVisits } from "./plan-visits.mjs";
import { tellSample } from "./report/tell-progress.mjs";
import { writeResults } from "./report/write-results.mjs";
import { LARGE, SCENARIOS } from "./scenarios.mjs";
import { gatewayTargets } from "./targets/gateway-targets.mjs";
import { onymTargets } from "./targets/onym-targets.mjs";
import { referenceTargets } from "./targets/reference-targets.mjs";
import { endAllProcesses } from "./targets/start-process.mjs";
import { visitCold } from "./visit-cold.mjs";
import { visitLoad } from "./visit-load.mjs";
import { visitMemory } from "./visit-memory.mjs";
import { visitProfile } from "./visit-profile.mjs";
import { visitResolve } from "./visit-resolve.mjs";

const VISITS = {
  load: visitLoad,
  cold: visitCold,
  memory: visitMemory,
  profile: visitProfile,
  resolve: visitResolve,
};

const QUICK_TARGETS = ["direct", "D", "R", "N", "onym", "onym-no-audit"];

const options = readOptions(process.argv.slice(2));
if (options.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (process.platform !== "linux") {
  process.stderr.write("The benchmark needs Linux: it reads CPU and memory from /proc.\n");
  process.exit(2);
}
const targets = [...referenceTargets, ...onymTargets(options.programs), ...gatewayTargets]
  .filter(({ id, kind = id }) =>
    options.targets.length === 0
      ? !options.quick || QUICK_TARGETS.includes(kind)
      : options.targets.includes(id) || options.targets.includes(kind),
  )
  .map((target) => ({ ...target, missing: missingOf(target) }));
const scenarios = SCENARIOS.filter((scenario) =>
  options.only.length === 0
    ? !options.quick || !LARGE.includes(scenario.id)
    : [undefined, ...(scenario.jobs ?? [])].some((job) => isWanted(options.only, scenario, job)),
);
if (options.list) {
  for (const { id, title, jobs = [] } of SCENARIOS) {
    process.stdout.write(
      `${id.padEnd(18)} ${title}${jobs.length > 0 ? `: ${jobs.map((job) => job.id).join(", ")}` : ""}\n`,
    );
  }
  for (const { id, label } of targets) process.stdout.write(`${id.padEnd(24)} ${label}\n`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "onym-bench-"));
const started = new Date();
const samples = [];
const failures = [];
let stopping = false;
const { visits, left } = planVisits({ scenarios, targets, options });
process.once("SIGINT", () => void stop(130));
process.once("SIGTERM", () => void stop(143));
for (const { scenario, target, reason } of left)
  process.stderr.write(`left out  ${scenario} ${target}: ${reason}\n`);

for (const [index, visit] of visits.entries()) {
  const { scenario, target, round } = visit;
  const place = { at: index + 1, of: visits.length, scenario: scenario.id, target: target.id, round };
  const onSample = (job, sample) => {
    samples.push({ scenario: scenario.id, job: job.id, target: target.id, round, ...sample });
    tellSample(place, job, sample);
  };
  try {
    await target.prepare?.();
    await VISITS[scenario.kind]({ ...visit, folder: join(folder, String(index)), options }, onSample);
  } catch (error) {
    // What was ended under its hands has not failed; the process ends soon.
    if (stopping) await new Promise(() => {});
    const reason = error.message.replaceAll(folder, "").slice(0, 500);
    failures.push({ scenario: scenario.id, target: target.id, round, reason });
    process.stderr.write(`failed    ${scenario.id} ${target.id}: ${reason}\n${error.lastWords ?? ""}\n`);
  }
}
await endAllProcesses();
finish(false);

/** Writes what there is; an interrupted run says that it is one. */
function finish(interrupted) {
  rmSync(folder, { recursive: true, force: true });
  if (samples.length === 0) return;
  const written = writeResults({
    options,
    targets,
    scenarios,
    samples,
    failures,
    left,
    started,
    interrupted,
  });
  process.stderr.write(`${written.summary}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(written.results)}\n`);
}

/** Why a target cannot be started at all. */
function missingOf({ needs, native }) {
  if (needs !== undefined && !isInstalled(needs)) return `${needs} is not installed; npm ci --prefix bench`;
  if (native !== undefined && !existsSync(join(options.root, "bench/node_modules", native)))
    return `its native module is not built; npm rebuild --prefix bench ${native.split("/")[0]}`;
  return undefined;
}

function isInstalled(name) {
  return ["bench/node_modules", "node_modules"].some((place) => existsSync(join(options.root, place, name)));
}

async function stop(code) {
  stopping = true;
  await endAllProcesses();
  finish(true);
  process.exit(code);
}
