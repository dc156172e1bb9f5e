// The clocks that the product uses, so that tests can pass their own.

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

/** The clock of the edges. */
export interface EdgeClock extends Clock {
  /** Monotonic milliseconds, for ages: `now` jumps when the system clock is set. */
  readonly elapsed: () => number;
  /** Calls every `ms`; returns a function that stops it. */
  readonly every: (ms: number, call: () => void) => () => void;
}

/** Its timers do not keep the process alive. */
export const systemEdgeClock: EdgeClock = {
  now: Date.now,
  elapsed: performance.now.bind(performance),
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
  every: (ms, call) => {
    const timer = setInterval(call, ms).unref();
    return () => clearInterval(timer);
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
