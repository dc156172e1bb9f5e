// Which traces are recorded: the samplers of OpenTelemetry, by their names there.

import type { TraceContext } from "./trace-context.js";

/** Whether the trace is recorded here. `parent`: where the request belongs to a trace already. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

const always: Sampler = () => true;
const never: Sampler = () => false;

/** By the last bytes of the id, so that everybody with the same ratio keeps the same traces. */
function byRatio(ratio: number): Sampler {
  const bound = ratio * 2 ** 48;
  return (traceId) => Number.parseInt(traceId.slice(20), 16) < bound;
}

/** Who began the trace has decided. */
function byParent(root: Sampler): Sampler {
  return (traceId, parent) => (parent === undefined ? root(traceId, parent) : parent.isSampled);
}

const SAMPLERS: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ["always_on", () => always],
  ["always_off", () => never],
  ["traceidratio", byRatio],
  ["parentbased_always_on", () => byParent(always)],
  ["parentbased_always_off", () => byParent(never)],
  ["parentbased_traceidratio", (ratio: number) => byParent(byRatio(ratio))],
]);

export const SAMPLER_NAMES: readonly string[] = [...SAMPLERS.keys()];

/** `undefined` for a name that is none of `SAMPLER_NAMES`. */
export function samplerNamed(name: string, ratio: number): Sampler | undefined {
  return SAMPLERS.get(name)?.(ratio);
}
