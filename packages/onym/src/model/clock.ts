// The clock that the product uses, so that tests can pass their own.

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls once, after a delay; returns a function that cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A duration in a message, as people write it.
 *
 * @example formatDuration(30_000); // "30 s"
 */
export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;
}
