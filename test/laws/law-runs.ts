// How often each law is tried: ten thousand times in the test run, those of clients' traits 1,500 times; `npm run laws` spends
// ten million on those of naming, and some more on those of approvals.

import type fc from "fast-check";

/** Set by `npm run laws`: how many cases all laws of naming together are to try. */
const TOTAL = Number(process.env["ONYM_LAW_TOTAL"] ?? 0);

/** Millions of small catalogs find more than as many large ones in the time of one run. */
export const isThorough = TOTAL > 0;

/**
 * Cases in the test run, and each law's share of the ten million. Those that build every profile in each case get less of
 * these; those that do so twice hold each case against four tools, which makes ten thousand again.
 */
const COSTS = {
  cheap: { runs: 10_000, share: 0.15 },
  dear: { runs: 10_000, share: 0.033 },
  fourfold: { runs: 2_500, share: 0.008 },
  /** Of several steps, each of which makes a table. */
  sequence: { runs: 2_500, share: 0.02 },
  /** Two catalogs and two tables a case; ten thousand with `npm run laws:traits`, which `.ci/run` has. */
  trait: { runs: Number(process.env["ONYM_TRAIT_CASES"] ?? 1_500), share: 0.033 },
};

export function lawRuns(cost: keyof typeof COSTS = "cheap"): fc.Parameters<unknown> {
  const { runs, share } = COSTS[cost];
  return { numRuns: isThorough ? Math.ceil(TOTAL * share) : runs };
}
