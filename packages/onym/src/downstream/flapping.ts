// A server that comes up and falls again and again is left alone for a while (SAFE-5).

import type { Clock } from "../model/clock.js";

/** Falls within the window before it is suspended. */
export const MAX_FALLS = 5;
const FALL_WINDOW_MS = 10 * 60_000;
/** How long it is left alone, unless somebody asks for it: a reload, a sign-in. */
export const SUSPENDED_MS = 10 * 60_000;

export interface Flapping {
  /** It was up, and is not any more. `true`: it is to be suspended, and starts with a clean slate after that. */
  readonly fell: () => boolean;
  readonly forget: () => void;
}

export function createFlapping(clock: Pick<Clock, "now">): Flapping {
  let falls: number[] = [];
  return {
    fell: () => {
      const now = clock.now();
      falls = [...falls.filter((at) => at > now - FALL_WINDOW_MS), now];
      if (falls.length < MAX_FALLS) return false;
      falls = [];
      return true;
    },
    forget: () => {
      falls = [];
    },
  };
}
