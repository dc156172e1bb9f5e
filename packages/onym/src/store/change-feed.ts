// Who wants to hear of changes, and what they have heard: revisions that only rise.

import type { Log } from "../model/log.js";

export interface ChangeFeed {
  /** Tells all listeners, unless they know of this or a later one. */
  readonly tell: (revision: number) => void;
  readonly add: (listener: (revision: number) => void) => () => void;
}

export function createChangeFeed(known: number, log: Log): ChangeFeed {
  const listeners = new Set<{ readonly call: (revision: number) => void }>();
  let latest = known;
  return {
    tell(revision) {
      if (revision <= latest) return;
      latest = revision;
      for (const listener of [...listeners]) {
        if (!listeners.has(listener)) continue;
        try {
          listener.call(revision);
        } catch (error) {
          log("error", "a listener for changes of the store failed", { error: String(error) });
        }
      }
    },
    add(call) {
      const listener = { call };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
