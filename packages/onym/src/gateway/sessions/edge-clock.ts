// The clock of the edges. Injected, so that tests control time.

export interface EdgeClock {
  /** Milliseconds since 1970, for timestamps from outside. May jump when the system clock is set. */
  readonly now: () => number;
  /** Monotonic milliseconds, for ages. Never jumps. */
  readonly elapsed: () => number;
  /** Runs once after `ms`, unless stopped. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs every `ms` until stopped. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** Real time. Its timers do not keep the process alive. */
export const systemClock: EdgeClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};
