// Ctrl+C and SIGTERM of a gateway: the first asks it to stop, the second kills it and everything it started.

import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Under npx a single Ctrl+C arrives twice: from the terminal, and forwarded by npm. */
const ECHO_MS = 200;

export interface ShutdownSignals {
  /** Resolves on the first signal. */
  readonly asked: Promise<void>;
  readonly release: () => void;
}

/** Call it before anything is started: from then on no signal leaves a child behind. */
export function watchShutdownSignals(): ShutdownSignals {
  let since: number | undefined;
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    const now = performance.now();
    since ??= now;
    if (since === now) ask();
    // Remaining children are killed on exit, with their groups.
    else if (now - since > ECHO_MS) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    asked,
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
