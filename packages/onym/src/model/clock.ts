// Time as this room uses it, so that tests can pass their own.

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls once, later; returns how to take that back. */
  readonly after: (ms: number, call: () => void) => () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
