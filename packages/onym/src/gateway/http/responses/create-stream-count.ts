// Counts long-lived streams, per caller and in total, and refuses those beyond the limits.

import type { CallerShare } from "../../sessions/create-quotas.js";
import type { Refusal } from "./refusal.js";
import { busy } from "./write-response.js";

export interface StreamCount {
  /** The refusal if one more is too many. */
  readonly take: (caller: CallerShare) => Refusal | undefined;
  readonly release: (caller: CallerShare) => void;
}

export function createStreamCount(limit: number): StreamCount {
  let open = 0;
  return {
    take(caller) {
      if (!caller.hasRoom("streams")) return caller.refusal("streams");
      if (open >= limit) return busy("Too many streams are open");
      caller.take("streams");
      open += 1;
      return undefined;
    },
    release(caller) {
      open -= 1;
      caller.release("streams");
    },
  };
}
