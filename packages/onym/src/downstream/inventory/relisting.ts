// Lists again after changes: one listing at a time, one more if something changed in the meantime (GW-7), and
// at growing intervals for a server that changes again and again, however it spaces its changes (SAFE-5).

import type { Clock } from "../../model/clock.js";

export interface Relisting {
  readonly request: () => void;
  /** The connection is gone: drops what is queued. */
  readonly stop: () => void;
}

/** Between the first listing and the second. Each listing doubles it. */
const SHORTEST_PAUSE = 50;
/** People who write a server change its tools again and again, too, and wait for them. */
const MAX_PAUSE_MS = 10_000;
/** Each whole interval without a change halves the pause. If it were shorter than the longest pause, waiting would count as calm. */
const CALM_MS = 10_000;

export function createRelisting(list: () => Promise<void>, clock: Clock): Relisting {
  let isBusy = false;
  let isQueued = false;
  /** From the end of a listing to the next. */
  let pause = SHORTEST_PAUSE / 2;
  let endedAt = 0;
  let cancel: (() => void) | undefined;
  const run = async (): Promise<void> => {
    cancel = undefined;
    isBusy = true;
    isQueued = false;
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
    await list().catch(() => {});
    isBusy = false;
    endedAt = clock.now();
    if (isQueued) later(pause);
  };
  const later = (ms: number): void => {
    cancel = clock.after(ms, () => void run());
  };
  return {
    request: () => {
      if (isBusy) isQueued = true;
      else if (cancel === undefined) {
        const since = clock.now() - endedAt;
        const wait = pause - since;
        pause = Math.max(SHORTEST_PAUSE / 2, pause / 2 ** Math.floor(since / CALM_MS));
        if (wait <= 0) void run();
        else later(wait);
      }
    },
    stop: () => {
      isQueued = false;
      cancel?.();
      cancel = undefined;
    },
  };
}
