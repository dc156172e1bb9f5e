// How often each law is tried: some hundred times in the test run, ten thousand times with `npm run test:long`; `npm run laws`
// spends ten million on those of naming, and some more on those of approvals.

import type fc from "fast-check";
import { isLong } from "../long-runs.js";

/** Set by `npm run laws`: how many cases all laws of naming together are to try. */
const TOTAL = Number(process.env["ONYM_LAW_TOTAL"] ?? 0);

/** Millions of small catalogs find more than as many large ones in the time of one run. */
export const isThorough = TOTAL > 0;

/**
 * Cases in the test run and in the long one, and each law's share of the ten million. Those that build every profile in each case get less of
 * these; those that do so twice hold each case against four tools, which makes as many again.
 */
const COSTS = {
  cheap: { runs: 500, long: 10_000, share: 0.15 },
  dear: { runs: 300, long: 10_000, share: 0.033 },
  fourfold: { runs: 200, long: 2_500, share: 0.008 },
  /** Of several steps, each of which makes a table. */
  sequence: { runs: 200, long: 2_500, share: 0.02 },
  /** Two catalogs and two tables a case. */
  trait: { runs: 300, long: 10_000, share: 0.033 },
};

export function lawRuns(cost: keyof typeof COSTS = "cheap"): fc.Parameters<unknown> {
  const { runs, long, share } = COSTS[cost];
  if (isThorough) return { numRuns: Math.ceil(TOTAL * share) };
  return { numRuns: isLong ? long : runs };
}
