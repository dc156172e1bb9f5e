// How often each law is tried: ten thousand times in the test run; `npm run laws` spends ten million on all together.

import type fc from "fast-check";

/** Set by `npm run laws`: how many cases all laws together are to try. */
const TOTAL = Number(process.env["ONYM_LAW_TOTAL"] ?? 0);

/** Millions of small catalogs find more than as many large ones in the time of one run. */
export const isThorough = TOTAL > 0;

/** Each law's share of the ten million; those that build every profile in each case get less. */
const SHARES = { cheap: 0.15, dear: 0.033 };

export function lawRuns(cost: keyof typeof SHARES = "cheap"): fc.Parameters<unknown> {
  return { numRuns: isThorough ? Math.ceil(TOTAL * SHARES[cost]) : 10_000 };
}
