// Which callers wait for an answer: whom a question or notice of the downstream can be meant for.

import type { Ask } from "./downstream.js";
import { isOwnAsk } from "./own-ask.js";

/** `several` callers wait: it cannot be told whom the downstream means, and nobody guesses. */
export type Meant =
  | { readonly kind: "nobody" }
  | { readonly kind: "one"; readonly ask: Ask }
  | { readonly kind: "several" };

export interface InFlight {
  /** Returns how to take it out again. Onym's own requests do not count. */
  readonly add: (ask: Ask) => () => void;
  /** The newest request of the only caller that waits, rather one that can be asked. */
  readonly meant: () => Meant;
}

export function createInFlight(): InFlight {
  const byAsker = new Map<string, Set<Ask>>();
  return {
    add: (ask) => {
      if (isOwnAsk(ask)) return () => {};
      const asks = byAsker.get(ask.from.id) ?? new Set();
      byAsker.set(ask.from.id, asks.add(ask));
      return () => {
        if (asks.delete(ask) && asks.size === 0) byAsker.delete(ask.from.id);
      };
    },
    meant: () => {
      const [asks, other] = byAsker.values();
      if (asks === undefined) return { kind: "nobody" };
      if (other !== undefined) return { kind: "several" };
      const newestFirst = [...asks].reverse();
      const ask = newestFirst.find(({ from }) => from.answer !== undefined) ?? newestFirst[0];
      return ask === undefined ? { kind: "nobody" } : { kind: "one", ask };
    },
  };
}
