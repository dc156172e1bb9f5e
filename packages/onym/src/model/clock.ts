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
