// Ctrl+C and SIGTERM of a gateway: the first asks it to stop, the second kills it and everything it started.

import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Under npx a single Ctrl+C arrives twice: from the terminal, and forwarded by npm. */
const ECHO_MS = 200;

export interface ShutdownSignals {
  /** Resolves on the first signal. */
  readonly stopRequested: Promise<void>;
  readonly release: () => void;
}

/** Call it before anything is started: from then on no signal leaves a child behind. */
export function watchShutdownSignals(): ShutdownSignals {
  /** When the first signal came. */
  let requestedAt: number | undefined;
  let requestStop = (): void => {};
  const stopRequested = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    const now = performance.now();
    if (requestedAt === undefined) {
      requestedAt = now;
      requestStop();
      // Remaining children are killed on exit, with their groups.
    } else if (now - requestedAt > ECHO_MS) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stopRequested,
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
