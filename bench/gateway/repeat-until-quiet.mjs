// A sample counts when the rest of the machine was quiet; else it is taken again, a few times and not for ever.

import { performance } from "node:perf_hooks";

/** The share of the machine that others may use. */
const OTHERS_MAX = 0.08;
/** All repetitions of a run together. */
const BUDGET_MS = 10 * 60_000;

let spentMs = 0;

/** `run` resolves with a sample that says what `others` used; the last one is returned, and says whether it was `quiet`. */
export async function repeatUntilQuiet({ retries }, run) {
  for (let attempt = 1; ; attempt++) {
    const start = performance.now();
    const sample = await run();
    const quiet = sample.others === undefined || sample.others <= OTHERS_MAX;
    if (quiet || attempt > retries || spentMs > BUDGET_MS) return { ...sample, quiet, attempts: attempt };
    spentMs += performance.now() - start;
  }
}
