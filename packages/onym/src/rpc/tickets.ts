// Values under way, each by a number that is never given out twice. For what comes and goes with every call, in place of a
// Map or Set: those leave their old tables behind them, linked, and what those hold is only freed by a full collection.

export interface Tickets<T> {
  readonly size: number;
  /** Keeps a value, and returns its number. */
  readonly take: (value: T) => number;
  readonly get: (ticket: number) => T | undefined;
  /** Whether there was something to drop. */
  readonly drop: (ticket: number) => boolean;
  /** What is kept now, in no order that means anything. */
  readonly values: () => readonly T[];
}

/** More than can be under way at once; tickets are whole numbers for as long as a process lives. */
const STRIDE = 2 ** 20;

/**
 * @example
 * const waiting = createTickets<Call>();
 * const id = waiting.take(call);
 * waiting.get(id) === call; // until it is dropped, and then never again
 */
export function createTickets<T extends object>(): Tickets<T> {
  const kept: (T | undefined)[] = [];
  /** The ticket in use, or last used, in each place. */
  const tickets: number[] = [];
  const free: number[] = [];
  const placeOf = (ticket: number): number => (ticket - 1) % STRIDE;
  const get = (ticket: number): T | undefined => {
    const place = placeOf(ticket);
    return tickets[place] === ticket ? kept[place] : undefined;
  };
  return {
    get size() {
      return kept.length - free.length;
    },
    take(value) {
      const place = free.pop() ?? kept.length;
      const ticket = (tickets[place] ?? place + 1 - STRIDE) + STRIDE;
      kept[place] = value;
      tickets[place] = ticket;
      return ticket;
    },
    get,
    drop(ticket) {
      if (get(ticket) === undefined) return false;
      const place = placeOf(ticket);
      kept[place] = undefined;
      free.push(place);
      return true;
    },
    values: () => kept.filter((value) => value !== undefined),
  };
}
