// When those who wait for an answer stop waiting: one timer for all of them. Nearly every request is answered long before,
// and a timer for each costs more than the rest of the waiting.

import { createTickets } from "../rpc/tickets.js";

export interface Expiring {
  /** In ms, on the clock of `performance.now`. */
  readonly due: number;
  /** Drops it, as whoever is answered does. */
  readonly expire: () => void;
}

/** Beyond it, `setTimeout` fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

const waiting = createTickets<Expiring>();
/** When the timer fires: never after the first of them is due, and often before, because that one was answered. */
let next = Number.POSITIVE_INFINITY;
let timer: NodeJS.Timeout | undefined;

/** Returns the ticket to drop it by. Does not keep the process alive. */
export function addDeadline(expiring: Expiring): number {
  if (expiring.due < next) wakeAt(expiring.due);
  return waiting.take(expiring);
}

export const dropDeadline: (ticket: number) => boolean = waiting.drop;

function wakeAt(due: number): void {
  clearTimeout(timer);
  next = due;
  const ms = Math.min(Math.max(due - performance.now(), 0), LONGEST_TIMER);
  timer = setTimeout(expireDue, ms).unref();
}

function expireDue(): void {
  next = Number.POSITIVE_INFINITY;
  const now = performance.now();
  let earliest = Number.POSITIVE_INFINITY;
  for (const expiring of waiting.values()) {
    if (expiring.due <= now) expiring.expire();
    else earliest = Math.min(earliest, expiring.due);
  }
  // Who expires may have begun another.
  if (earliest < next) wakeAt(earliest);
}
