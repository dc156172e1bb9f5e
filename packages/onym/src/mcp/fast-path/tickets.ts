// Values under way, each by a number that is never given out twice. For what comes and goes with every call, in place of a
// Map or Set: those leave their old tables behind them, linked, and what those hold is only freed by a full collection.

export interface Tickets<T> {
  readonly size: number;
  /** Keeps a value, and returns its number: 1, 2, 3 … with gaps where something is kept for long. */
  readonly take: (value: T) => number;
  readonly get: (ticket: number) => T | undefined;
  /** Whether there was something to drop. */
  readonly drop: (ticket: number) => boolean;
  /** What is kept now, in the order it was taken. */
  readonly values: () => readonly T[];
}

/**
 * @example
 * const waiting = createTickets<Call>();
 * const id = waiting.take(call);
 * waiting.get(id) === call; // until it is dropped, and then never again
 */
export function createTickets<T extends object>(): Tickets<T> {
  /** By the lowest bits of the ticket; as many places as a power of two, at least half of them free. */
  let places: (T | undefined)[] = new Array(64).fill(undefined);
  /** Whose each place is; 0 where it is free. */
  let tickets: number[] = new Array(64).fill(0);
  let last = 0;
  let size = 0;
  const placeOf = (ticket: number): number => ticket & (places.length - 1);
  const put = (ticket: number, value: T | undefined): void => {
    places[placeOf(ticket)] = value;
    tickets[placeOf(ticket)] = ticket;
  };
  const grow = (): void => {
    const before = places;
    const ticketsBefore = tickets;
    places = new Array(before.length * 2).fill(undefined);
    tickets = new Array(places.length).fill(0);
    ticketsBefore.forEach((ticket, at) => {
      if (ticket !== 0) put(ticket, before[at]);
    });
  };
  return {
    get size() {
      return size;
    },
    take(value) {
      if (size * 2 >= places.length) grow();
      do last += 1;
      while (tickets[placeOf(last)] !== 0);
      put(last, value);
      size += 1;
      return last;
    },
    get: (ticket) => (tickets[placeOf(ticket)] === ticket ? places[placeOf(ticket)] : undefined),
    drop(ticket) {
      if (ticket === 0 || tickets[placeOf(ticket)] !== ticket) return false;
      places[placeOf(ticket)] = undefined;
      tickets[placeOf(ticket)] = 0;
      size -= 1;
      return true;
    },
    values: () =>
      tickets
        .filter((ticket) => ticket !== 0)
        .sort((a, b) => a - b)
        .flatMap((ticket) => places[placeOf(ticket)] ?? []),
  };
}
