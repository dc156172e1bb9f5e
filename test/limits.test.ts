// Every limit of docs/limits.md has a test that goes up to it: one below, at and one above. Such a test cites it as
// `(limits.NAME)`, as others cite requirements, so that a limit cannot be added without one.

import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../packages/onym/src/config/limits.js";
import { listFiles, listPackages, readProjectFile } from "./project-files.js";

const CITATION = /\(limits\.(\w+)\)/g;
/** Where one test ends and the next begins. */
const TESTS = /^ *(?=it(?:\.\w+)*\()/m;
const STEPS = [/\bone below\b/, /\bat\b/, /\bone above\b/];

const cited = citingTests();

it("is gone up to by a test: one below, at and one above (SAFE-4, SAFE-5)", () => {
  const tested = cited.filter(({ test }) => STEPS.every((step) => step.test(test)));
  const names = new Set(tested.map(({ name }) => name));
  expect(Object.keys(DEFAULT_LIMITS).filter((name) => !names.has(name))).toEqual([]);
});

it("is one that there is, where a test cites it", () => {
  const unknown = cited.filter(({ name }) => !Object.hasOwn(DEFAULT_LIMITS, name));
  expect(unknown.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
});

function citingTests() {
  const folders = [...listPackages().map((folder) => `${folder}/src`), "test"];
  return folders
    .flatMap((folder) => listFiles(folder, ".test.ts"))
    .filter((file) => file !== "test/limits.test.ts")
    .flatMap((file) =>
      readProjectFile(file)
        .split(TESTS)
        .map((test) => ({ file, test })),
    )
    .flatMap(({ file, test }) => [...test.matchAll(CITATION)].map(([, name = ""]) => ({ file, test, name })));
}
