// Runs the tests of one room for Stryker, in Stryker's own process: all tests and sources are bundled into one script, which is
// compiled once and evaluated afresh for each mutant, instead of starting vitest for it.

import { createRequire } from "node:module";
import { Script } from "node:vm";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { startTests } from "@vitest/runner";
import { bundleRoom } from "./bundle-room.mjs";
import { filesOf } from "./rooms.mjs";
import { testLibrary } from "./test-library.mjs";

/** Where Stryker's instrumented sources look for the active mutant and leave what they cover. */
const NAMESPACE = "__stryker__";

/** Tests of large inputs take longer than all others together, and notice little that these do not. */
const LARGE = /hundred thousand|more than anybody reads/;

/** @vitest/runner needs all of them. */
const CONFIG = {
  root: process.cwd(),
  setupFiles: [],
  passWithNoTests: true,
  allowOnly: true,
  sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
  maxConcurrency: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
  tags: [],
  strictTags: false,
};

function createRunner() {
  let script;
  return {
    /** Every run evaluates the script again: constants of modules are made with the mutant active. */
    capabilities: () => ({ reloadEnvironment: true }),

    async init() {
      const room = await bundleRoom(filesOf(process.env["ONYM_MUTATION_ROOM"]));
      script = new Script(room, { filename: "room.js" });
      globalThis.require = createRequire(import.meta.url);
      globalThis.testLibrary = testLibrary;
    },

    async dryRun() {
      const mutants = openNamespace({ mutantCoverage: { static: {}, perTest: {} } });
      const tests = await runTests(script, { mutants });
      return { status: DryRunStatus.Complete, tests, mutantCoverage: coverageByTest(mutants, tests) };
    },

    async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
      const mutants = openNamespace({ activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const tests = await runTests(script, { mutants, filter: testFilter, bail: !disableBail });
      const endless = determineHitLimitReached(mutants.hitCount, hitLimit);
      return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
    },
  };
}
createRunner.inject = [];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "room", createRunner)];

function openNamespace(values) {
  globalThis[NAMESPACE] = values;
  return values;
}

/** What a test file covers while it declares its tests counts for each of them. */
function coverageByTest({ mutantCoverage }, tests) {
  const { static: ofModules, perTest } = mutantCoverage;
  const covered = tests.map(({ id, fileName }) => [id, { ...perTest[fileName], ...perTest[id] }]);
  return { static: ofModules, perTest: Object.fromEntries(covered) };
}

async function runTests(script, { mutants, filter, bail = false }) {
  const { sources, tests } = script.runInThisContext();
  await sources();
  const wanted = filter && new Set(filter);
  const files = Object.keys(tests).filter((file) => filter?.some((id) => id.startsWith(`${file}#`)) ?? true);
  let failed = false;
  const results = await startTests(files, {
    config: CONFIG,
    async importFile(file) {
      mutants.currentTestId = file;
      await tests[file]();
    },
    onCollected() {
      mutants.currentTestId = undefined;
    },
    onBeforeRunTask(test) {
      const leftOut = LARGE.test(test.name) || wanted?.has(idOf(test)) === false;
      if (leftOut || (bail && failed)) test.mode = "skip";
      mutants.currentTestId = idOf(test);
    },
    onAfterRunTask(test) {
      mutants.currentTestId = undefined;
      failed ||= test.result?.state === "fail";
    },
  });
  return results.flatMap(resultsOf);
}

function idOf(test) {
  const names = [];
  for (let task = test; task !== undefined && task !== test.file; task = task.suite) names.unshift(task.name);
  return `${test.file.filepath}#${names.join(" ")}`;
}

/** The tests below a suite that ran; a file that could not even declare its tests is one that failed. */
function resultsOf(task) {
  const own = task.type === "test" || task.result?.errors?.length > 0 ? [task] : [];
  const below = (task.tasks ?? []).flatMap(resultsOf);
  return [
    ...own.filter(({ result }) => result !== undefined && result.state !== "skip").map(toResult),
    ...below,
  ];
}

function toResult(task) {
  const result = {
    id: idOf(task),
    name: task.name,
    fileName: task.file.filepath,
    timeSpentMs: task.result.duration ?? 0,
  };
  if (task.result.state === "pass") return { ...result, status: TestStatus.Success };
  return { ...result, status: TestStatus.Failed, failureMessage: task.result.errors?.[0]?.message ?? "" };
}
