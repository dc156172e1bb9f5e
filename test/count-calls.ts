// How often each function of the project is called while something runs, as V8 counts it: work without a clock.

import { type Profiler, Session } from "node:inspector";

/** By file, function and place. */
export async function countCalls(work: () => unknown): Promise<ReadonlyMap<string, number>> {
  const inspector = new Session();
  inspector.connect();
  const takeCoverage = (): readonly Profiler.ScriptCoverage[] => {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    // Within one thread, the answer is there when the call returns.
    inspector.post("Profiler.takePreciseCoverage", (_, { result }) => {
      taken = result;
    });
    return taken;
  };
  inspector.post("Profiler.enable");
  inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  takeCoverage();
  await work();
  const counted = new Map<string, number>();
  for (const { url, functions } of takeCoverage())
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      if (url.includes("/packages/") && range !== undefined && range.count > 0)
        counted.set(`${url.replace(/.*\/packages\//, "")} ${functionName} ${range.startOffset}`, range.count);
    }
  inspector.disconnect();
  return counted;
}
