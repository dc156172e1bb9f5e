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
  /** Returns the number to take it out by. */
  readonly add: (ask: Ask) => number;
  readonly remove: (ticket: number) => void;
  readonly meant: () => Meant;
}

export function createInFlight(): InFlight {
  const waiting = createTickets<Ask>();
  return { add: waiting.take, remove: waiting.drop, meant: () => findMeant(waiting.values()) };
}

/**
 * Of requests in the order they were made, the newest of the only caller that waits, rather one that can be asked. Onym's
 * own do not count. Hardly ever asked, while requests come and go all the time: so the work is done here.
 */
export function findMeant(asks: readonly Ask[]): Meant {
  const newestFirst = asks.filter((ask) => !isOwnAsk(ask)).reverse();
  const [newest] = newestFirst;
  if (newest === undefined) return { kind: "nobody" };
  if (newestFirst.some(({ from }) => from.id !== newest.from.id)) return { kind: "several" };
  return { kind: "one", ask: newestFirst.find(({ from }) => from.answer !== undefined) ?? newest };
}
