// Chance that can be had again: the same seed makes the same choices.

export interface Chance {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number below the bound. */
  readonly below: (bound: number) => number;
  readonly pick: <T>(from: readonly T[]) => T | undefined;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { next, below, pick: (from) => from[below(from.length)] };
}
