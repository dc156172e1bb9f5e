// Lists again after changes: one listing at a time, one more if something changed in the meantime (GW-7), and
// at growing intervals for a server that changes constantly.

import type { Clock } from "../../model/clock.js";

export interface Relisting {
  readonly request: () => void;
  /** The connection is gone: drops what is queued. */
  readonly stop: () => void;
}

const SHORTEST_PAUSE = 50;
const MAX_PAUSE_MS = 60_000;
/** After this many pauses without a change the server counts as calm again. */
const CALM_PAUSES = 10;

export function createRelisting(list: () => Promise<void>, clock: Clock): Relisting {
  let isBusy = false;
  let isQueued = false;
  let pause = SHORTEST_PAUSE;
  let endedAt = 0;
  let cancel: (() => void) | undefined;
  const run = async (): Promise<void> => {
    cancel = undefined;
    isBusy = true;
    isQueued = false;
    await list().catch(() => {});
    isBusy = false;
    endedAt = clock.now();
    if (isQueued) later();
  };
  const later = (): void => {
    cancel = clock.after(pause, () => void run());
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  };
  return {
    request: () => {
      if (isBusy) isQueued = true;
      else if (cancel === undefined) {
        const since = clock.now() - endedAt;
        if (since > pause * CALM_PAUSES) pause = SHORTEST_PAUSE;
        if (since > pause) void run();
        else later();
      }
    },
    stop: () => {
      isQueued = false;
      cancel?.();
      cancel = undefined;
    },
  };
}
