// Time as the edges use it. Passed in, so that tests decide when it passes.

export interface EdgeClock {
  /** ms since 1970, for moments that others name. May jump when the machine's clock is set. */
  readonly now: () => number;
  /** ms since some moment, for ages. Never jumps. */
  readonly elapsed: () => number;
  /** Runs once after so long, unless stopped. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs again and again, until stopped. */
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
