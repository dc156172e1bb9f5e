// The rooms whose tests are held to account by mutants, and the tests that may kill a mutant of each: those beside its files
// first, then tables and laws of `test/`; none that needs a process, a store or the network.

import { readdirSync } from "node:fs";

const ROOMS = {
  identity: {
    folder: "packages/core/src/identity",
    tests: ["test/seeds-identity.test.ts"],
  },
  policy: {
    folder: "packages/onym/src/policy",
    tests: ["test/laws/policy-laws.test.ts"],
  },
  approvals: {
    folder: "packages/core/src/approvals",
    tests: ["test/laws/approval-laws.test.ts", "test/laws/decision-laws.test.ts"],
  },
  resolve: {
    folder: "packages/core/src/resolve",
    tests: [
      "packages/core/src/snapshot/build-snapshot.test.ts",
      "test/seeds.test.ts",
      "test/laws/rename-laws.test.ts",
    ],
  },
  naming: {
    folder: "packages/core/src/naming",
    tests: [
      "packages/core/src/resolve/renames/successions.test.ts",
      "packages/core/src/resolve/renames/settle-renames.test.ts",
      "packages/core/src/snapshot/build-snapshot.test.ts",
      "test/seeds.test.ts",
      "test/laws/naming-laws.test.ts",
      "test/laws/variant-laws.test.ts",
    ],
  },
};

export const ROOM_NAMES = Object.keys(ROOMS);

/** Called where the project, or Stryker's copy of it, is the current folder. */
export function filesOf(room) {
  const { folder, tests } = ROOMS[room];
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)
    .sort();
  const isTest = (file) => file.endsWith(".test.ts");
  return { sources: files.filter((file) => !isTest(file)), tests: [...files.filter(isTest), ...tests] };
}
