// Whom a question or log message of a downstream can be meant for: the callers whose requests it works on (SAFE-6).

import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { Clock } from "../../model/clock.js";
import type { DownstreamRequest, UnsolicitedReceiver } from "../downstream.js";
import { isOwnRequest, OWN_ORIGIN } from "./own-requests.js";

export type Addressee =
  /** It works on nothing. */
  | { readonly kind: "nobody"; readonly receiver: UnsolicitedReceiver }
  | { readonly kind: "one"; readonly request: DownstreamRequest }
  /** Several callers wait: it cannot be told whom the downstream means, and nobody guesses. */
  | { readonly kind: "several" }
  /** The caller that it works for has cancelled, left or timed out. */
  | { readonly kind: "abandoned" };

/** Who may hear of something that belongs to no request that is known. */
export function unsolicitedReceiver(addressee: Addressee | undefined): UnsolicitedReceiver {
  return addressee?.kind === "nobody" ? addressee.receiver : "nobody";
}

/** Requests that nobody waits for any more, while the downstream may still work on them. */
export interface AbandonedRequests {
  readonly add: (requestId: number, request: DownstreamRequest) => void;
  /** The downstream answered it after all. */
  readonly answered: (requestId: number) => void;
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
    for (const [requestId, { until }] of requests) {
      if (until > now) return;
      requests.delete(requestId);
    }
  };
  return {
    add(requestId, request) {
      if (isOwnRequest(request)) return;
      forget();
      const isFull = requests.size >= MAX_ABANDONED;
      // Under one number, at the end of the order again.
      if (isFull) requests.delete(0);
      requests.set(isFull ? 0 : requestId, {
        caller: isFull ? SOMEBODY : request.origin.id,
        until: clock.now() + ABANDONED_MS,
      });
    },
    answered: (requestId) => void requests.delete(requestId),
    callers() {
      forget();
      return new Set([...requests.values()].map(({ caller }) => caller));
    },
  };
}

/** Whether one caller alone has used a connection so far. */
export class ConnectionUse {
  #receiver: UnsolicitedReceiver = "anybody";
  #last: string | undefined;

  note({ origin }: DownstreamRequest): void {
    if (this.#last === origin.id || origin === OWN_ORIGIN) return;
    this.#receiver = this.#last === undefined ? { caller: origin.id } : "nobody";
    this.#last = origin.id;
  }

  get receiver(): UnsolicitedReceiver {
    return this.#receiver;
  }
}

export interface InFlight {
  /** Returns the number to take it out by. */
  readonly add: (request: DownstreamRequest) => number;
  /** It was answered. */
  readonly remove: (ticket: number) => void;
  /** Its caller gave up, and the downstream may still work on it. */
  readonly abandon: (ticket: number, request: DownstreamRequest) => void;
  readonly addressee: () => Addressee;
}

export function createInFlight(clock: Pick<Clock, "now">): InFlight {
  const waiting = createTickets<DownstreamRequest>();
  const abandoned = createAbandonedRequests(clock);
  const use = new ConnectionUse();
  return {
    add(request) {
      use.note(request);
      return waiting.take(request);
    },
    remove: waiting.drop,
    abandon(ticket, request) {
      waiting.drop(ticket);
      abandoned.add(ticket, request);
    },
    addressee: () =>
      findAddressee(waiting.values(), { abandoned: abandoned.callers(), receiver: use.receiver }),
  };
}

/**
 * Of requests in the order they were made, the newest of the only caller that waits, rather one that can be asked. Onym's
 * own do not count. Hardly ever asked, while requests come and go all the time: so the work is done here.
 */
export function findAddressee(
  asks: readonly DownstreamRequest[],
  past: { readonly abandoned: ReadonlySet<string>; readonly receiver: UnsolicitedReceiver },
): Addressee {
  const newestFirst = asks.filter((request) => !isOwnRequest(request)).reverse();
  const [newest] = newestFirst;
  if (newest === undefined)
    return past.abandoned.size > 0 ? { kind: "abandoned" } : { kind: "nobody", receiver: past.receiver };
  const callers = new Set([...newestFirst.map(({ origin }) => origin.id), ...past.abandoned]);
  if (callers.size > 1) return { kind: "several" };
  return {
    kind: "one",
    request: newestFirst.find(({ origin }) => origin.sendRequest !== undefined) ?? newest,
  };
}
