// Lists again after changes: one listing at a time, and one more where something changed meanwhile (GW-7).

export interface Relisting {
  readonly ask: () => void;
  /** The connection is gone: what is queued is dropped. */
  readonly stop: () => void;
}

export function createRelisting(list: () => Promise<void>): Relisting {
  let busy = false;
  let queued = false;
  const run = async (): Promise<void> => {
    busy = true;
    await list().catch(() => {});
    busy = false;
    if (!queued) return;
    queued = false;
    void run();
  };
  return {
    ask: () => {
      if (busy) queued = true;
      else void run();
    },
    stop: () => {
      queued = false;
    },
  };
}
