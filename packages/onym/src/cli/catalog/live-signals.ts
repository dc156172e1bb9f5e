// Ctrl+C while servers run: they are closed first, then the program ends by the signal it got.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SignalWatch {
  /** A signal came; nothing more should be told. */
  readonly isStopping: () => boolean;
  readonly release: () => void;
}

/** A second signal ends the program at once; children that are still there are killed on the way out. */
export function closeOnSignal(close: () => Promise<unknown>): SignalWatch {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void close().finally(() => {
      release();
      process.kill(process.pid, signal);
    });
  };
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return { isStopping: () => stopping, release };
}
