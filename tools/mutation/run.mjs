// npm run mutation [ROOM…|ROOM/FILE…]: plants faults in the sources of a room, one at a time, and tells which ones no test
// notices. Stryker is installed on first use, in this folder. Exits 1 when a score is below the minimum.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf, ROOM_NAMES } from "./rooms.mjs";

const MIN_SCORE = 90;

const here = fileURLToPath(new URL(".", import.meta.url));
process.chdir(fileURLToPath(new URL("../../", import.meta.url)));

const chosen = process.argv.length > 2 ? process.argv.slice(2) : ROOM_NAMES;
const unknown = chosen.filter((place) => mutatedFiles(place).length === 0);
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(", ")}: choose from ${ROOM_NAMES.join(", ")}, or a file as identity/tool-key.`,
  );
  process.exit(2);
}
if (!existsSync(`${here}node_modules`)) execFileSync("npm", ["ci"], { cwd: here, stdio: "inherit" });
const { Stryker } = await import("@stryker-mutator/core");
for (const place of chosen) {
  process.env["ONYM_MUTATION_ROOM"] = place.split("/")[0]; // for the process that runs the tests
  report(place, await new Stryker(optionsOf(place)).runMutationTest());
}

function mutatedFiles(place) {
  const [room, file] = place.split("/");
  if (!ROOM_NAMES.includes(room)) return [];
  const { sources } = filesOf(room);
  return file === undefined ? sources : sources.filter((source) => source.endsWith(`/${file}.ts`));
}

function optionsOf(place) {
  const [room] = place.split("/");
  return {
    mutate: mutatedFiles(place),
    plugins: [`${here}room-runner.mjs`],
    testRunner: "room",
    coverageAnalysis: "perTest",
    concurrency: 1,
    // A busy machine is not an endless loop.
    timeoutMS: 20_000,
    incremental: true,
    incrementalFile: `reports/mutation/${room}-incremental.json`,
    reporters: ["html", "progress-append-only"],
    htmlReporter: { fileName: `reports/mutation/${room}.html` },
    tempDirName: "reports/mutation/sandbox",
    ignorePatterns: [
      "/*",
      "!/packages",
      "!/test",
      "!/tools",
      "/tools/*",
      "!/tools/fast-path",
      "dist",
      "sbom.cdx.json",
    ],
  };
}

function report(place, mutants) {
  const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0 };
  const files = mutatedFiles(place);
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    // Those of other files are told again from the run before.
    if (!files.includes(relative(".", fileName))) continue;
    counts[status] = (counts[status] ?? 0) + 1;
    if (status === "Killed" || status === "Timeout") continue;
    const at = `${relative(".", fileName)}:${location.start.line}:${location.start.column}`;
    console.log(`${at} ${status} ${mutatorName}: ${replacement?.replaceAll(/\s+/g, " ")}`);
  }
  const detected = counts.Killed + counts.Timeout;
  const score = (100 * detected) / (detected + counts.Survived + counts.NoCoverage);
  const told = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  console.log(`${place}: ${score.toFixed(2)} (${told.join(", ")})`);
  if (score < MIN_SCORE) process.exitCode = 1;
}
