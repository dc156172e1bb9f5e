// How often the servers of a toolbox are started again because it is opened and closed (SAFE-5): each start makes
// processes, a new view and new lists for everybody.

import type { EdgeClock } from "../../model/clock.js";

/** Starts of a toolbox in a row, as somebody makes who opens and closes it. */
export const QUICK_STARTS = 5;
/** After them, one start in this time. */
export const START_INTERVAL_MS = 10_000;

type PaceClock = Pick<EdgeClock, "elapsed" | "after">;

export class StartPace {
  readonly #clock: PaceClock;
  /** When all starts of a toolbox so far have been paid for, at one in each interval. */
  readonly #paidAt = new Map<string, number>();

  constructor(clock: PaceClock) {
    this.#clock = clock;
  }

  count(toolbox: string): void {
    const now = this.#clock.elapsed();
    this.#paidAt.set(toolbox, Math.max(now, this.#paidAt.get(toolbox) ?? 0) + START_INTERVAL_MS);
  }

  /** Milliseconds until it may be started again. */
  waitOf(toolbox: string): number {
    const free = (this.#paidAt.get(toolbox) ?? 0) - (QUICK_STARTS - 1) * START_INTERVAL_MS;
    return Math.max(0, free - this.#clock.elapsed());
  }

  /** Calls once it may be started again; returns a function that cancels it. */
  whenFree(toolbox: string, call: () => void): () => void {
    return this.#clock.after(this.waitOf(toolbox), call);
  }

  /** Forgets toolboxes that do not exist any more. */
  retain(exists: (toolbox: string) => boolean): void {
    for (const toolbox of this.#paidAt.keys()) if (!exists(toolbox)) this.#paidAt.delete(toolbox);
  }
}
