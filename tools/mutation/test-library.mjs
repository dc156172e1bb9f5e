// What test files get for `vitest` and `fast-check` while mutants are tried: vitest's own runner and `expect` without its
// processes, and properties with dozens of cases instead of thousands, always the same ones, so that what survives once survives again.

import * as expectations from "@vitest/expect";
import * as runner from "@vitest/runner";
import fastCheck from "fast-check";

/** A law builds whole catalogs and their tables in each case. */
const MAX_CASES = { ofLaws: 10, others: 200 };

const { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } = expectations;
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[expectations.ASYMMETRIC_MATCHERS_OBJECT],
);

/** Types are checked by `npm run types`. */
const expectTypeOf = () => new Proxy(() => expectTypeOf(), { get: () => expectTypeOf() });

const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = runner;

const vitest = {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  it,
  test,
};

const fc = {
  ...fastCheck,
  assert: (property, params) =>
    fastCheck.assert(property, { ...params, numRuns: Math.min(params?.numRuns ?? 100, maxCases()), seed: 1 }),
};

export const testLibrary = { vitest, fc };

function maxCases() {
  const isLaw = runner.getCurrentTest()?.file.filepath.startsWith("test/laws/");
  return isLaw ? MAX_CASES.ofLaws : MAX_CASES.others;
}
