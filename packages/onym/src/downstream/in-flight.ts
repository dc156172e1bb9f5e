// Which callers wait for an answer: whom a question or notice of the downstream can be meant for.

import { createTickets } from "../rpc/tickets.js";
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
  const waiting = createTickets<{ readonly ask: Ask; readonly turn: number }>();
  let turns = 0;
  return {
    add: (ask) => {
      if (isOwnAsk(ask)) return () => {};
      turns += 1;
      const ticket = waiting.take({ ask, turn: turns });
      return () => void waiting.drop(ticket);
    },
    // Hardly ever asked, while requests come and go all the time: so the work is done here.
    meant: () => {
      const newestFirst = [...waiting.values()].sort((a, b) => b.turn - a.turn).map(({ ask }) => ask);
      const [newest] = newestFirst;
      if (newest === undefined) return { kind: "nobody" };
      if (newestFirst.some(({ from }) => from.id !== newest.from.id)) return { kind: "several" };
      return { kind: "one", ask: newestFirst.find(({ from }) => from.answer !== undefined) ?? newest };
    },
  };
}
