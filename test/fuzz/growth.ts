// How the cost of a reader grows with its input: a piece of a known input over and over, and 32 times as often.

import { performance } from "node:perf_hooks";
import type { FuzzTarget } from "./fuzz-target.js";
import { type MutationSource, mutate } from "./mutate.js";

const SMALL_BYTES = 16_384;
const TIMES = 32;
/** Less is lost in the noise, and counts as this. */
const MIN_MS = 0.05;
/** Of so many measurements the shortest counts: the others were disturbed. */
const MEASUREMENTS = 5;

export interface Growth {
  /** The cost of a byte at 32 times the size, against that at the small size. 1 is linear, 32 quadratic; between them is the garbage collector. */
  readonly ratio: number;
  readonly input: Buffer;
}

/** The worst of so many inputs. */
export function measureGrowth(target: FuzzTarget, source: MutationSource, inputs: number): Growth {
  let worst: Growth = { ratio: 0, input: Buffer.alloc(0) };
  for (let count = 0; count < inputs; count += 1) {
    const input = mutate(source).subarray(0, 1_024);
    const head = source.chance.below(input.length + 1);
    const small = stretch(input, head, SMALL_BYTES);
    const large = stretch(input, head, SMALL_BYTES * TIMES);
    const measure = (): number => costOf(target, large) / costOf(target, small) / TIMES;
    const first = measure();
    // What only looks bad is no worse the second time.
    const ratio = first > worst.ratio ? Math.min(first, measure(), measure()) : first;
    if (ratio > worst.ratio) worst = { ratio, input };
  }
  return worst;
}

/** The head once, then the rest as often as it fits. */
function stretch(input: Buffer, head: number, bytes: number): Buffer {
  const whole = Buffer.alloc(bytes, input.length === head ? " " : input.subarray(head));
  input.copy(whole, 0, 0, head);
  return whole;
}

function costOf({ read }: FuzzTarget, input: Buffer): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < MEASUREMENTS; count += 1) {
    const began = performance.now();
    read(input);
    least = Math.min(least, performance.now() - began);
  }
  return Math.max(least, MIN_MS);
}
