// Whom a question or log message of a downstream can be meant for: the callers whose requests it works on (SAFE-6).

import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { Clock } from "../../model/clock.js";
import type { Ask, UnaskedReceiver } from "../downstream.js";
import { isOwnAsk, OWN_ASKER } from "./own-requests.js";

export type Meant =
  /** It works on nothing. */
  | { readonly kind: "nobody"; readonly receiver: UnaskedReceiver }
  | { readonly kind: "one"; readonly ask: Ask }
  /** Several callers wait: it cannot be told whom the downstream means, and nobody guesses. */
  | { readonly kind: "several" }
  /** The caller that it works for has cancelled, left or timed out. */
  | { readonly kind: "abandoned" };

/** Who may hear of something that belongs to no request that is known. */
export function unaskedReceiver(meant: Meant | undefined): UnaskedReceiver {
  return meant?.kind === "nobody" ? meant.receiver : "nobody";
}

/** Requests that nobody waits for any more, while the downstream may still work on them. */
export interface AbandonedRequests {
  readonly add: (request: number, ask: Ask) => void;
  /** The downstream answered it after all. */
  readonly answered: (request: number) => void;
  /** Whose they are. */
  readonly callers: () => ReadonlySet<string>;
}

/**
 * How long an abandoned request counts if it is never answered: most servers answer nothing that was cancelled. Until then
 * a question that may be about it is refused.
 */
const ABANDONED_MS = 10 * 60_000;
/** More than these are remembered together, as requests of somebody unknown. */
const MAX_ABANDONED = 1_000;
const SOMEBODY = "";

export function createAbandonedRequests(clock: Pick<Clock, "now">): AbandonedRequests {
  const requests = new Map<number, { readonly caller: string; readonly until: number }>();
  const forget = (): void => {
    const now = clock.now();
    // In the order they were abandoned, so the first that still counts ends it.
    for (const [request, { until }] of requests) {
      if (until > now) return;
      requests.delete(request);
    }
  };
  return {
    add(request, ask) {
      if (isOwnAsk(ask)) return;
      forget();
      const isFull = requests.size >= MAX_ABANDONED;
      // Under one number, at the end of the order again.
      if (isFull) requests.delete(0);
      requests.set(isFull ? 0 : request, {
        caller: isFull ? SOMEBODY : ask.from.id,
        until: clock.now() + ABANDONED_MS,
      });
    },
    answered: (request) => void requests.delete(request),
    callers() {
      forget();
      return new Set([...requests.values()].map(({ caller }) => caller));
    },
  };
}

/** Whether one caller alone has used a connection so far. */
export class ConnectionUse {
  #receiver: UnaskedReceiver = "anybody";
  #last: string | undefined;

  note({ from }: Ask): void {
    if (this.#last === from.id || from === OWN_ASKER) return;
    this.#receiver = this.#last === undefined ? { caller: from.id } : "nobody";
    this.#last = from.id;
  }

  get receiver(): UnaskedReceiver {
    return this.#receiver;
  }
}

export interface InFlight {
  /** Returns the number to take it out by. */
  readonly add: (ask: Ask) => number;
  /** It was answered. */
  readonly remove: (ticket: number) => void;
  /** Its caller gave up, and the downstream may still work on it. */
  readonly abandon: (ticket: number, ask: Ask) => void;
  readonly meant: () => Meant;
}

export function createInFlight(clock: Pick<Clock, "now">): InFlight {
  const waiting = createTickets<Ask>();
  const abandoned = createAbandonedRequests(clock);
  const use = new ConnectionUse();
  return {
    add(ask) {
      use.note(ask);
      return waiting.take(ask);
    },
    remove: waiting.drop,
    abandon(ticket, ask) {
      waiting.drop(ticket);
      abandoned.add(ticket, ask);
    },
    meant: () => findMeant(waiting.values(), { abandoned: abandoned.callers(), receiver: use.receiver }),
  };
}

/**
 * Of requests in the order they were made, the newest of the only caller that waits, rather one that can be asked. Onym's
 * own do not count. Hardly ever asked, while requests come and go all the time: so the work is done here.
 */
export function findMeant(
  asks: readonly Ask[],
  past: { readonly abandoned: ReadonlySet<string>; readonly receiver: UnaskedReceiver },
): Meant {
  const newestFirst = asks.filter((ask) => !isOwnAsk(ask)).reverse();
  const [newest] = newestFirst;
  if (newest === undefined)
    return past.abandoned.size > 0 ? { kind: "abandoned" } : { kind: "nobody", receiver: past.receiver };
  const callers = new Set([...newestFirst.map(({ from }) => from.id), ...past.abandoned]);
  if (callers.size > 1) return { kind: "several" };
  return { kind: "one", ask: newestFirst.find(({ from }) => from.answer !== undefined) ?? newest };
}
