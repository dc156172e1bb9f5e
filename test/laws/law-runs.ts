// How often each law is tried: ten thousand times in the test run; `npm run laws` spends ten million on all together.

import type fc from "fast-check";

/** The number of properties that share the ten million. */
const LAWS = 9;
const TOTAL = Number(process.env["ONYM_LAW_TOTAL"] ?? 0);

export const lawRuns: fc.Parameters<unknown> & { readonly numRuns: number } = {
  numRuns: TOTAL === 0 ? 10_000 : Math.ceil(TOTAL / LAWS),
};
