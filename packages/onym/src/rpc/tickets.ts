// Values under way, each by a number that is never given out twice. For what comes and goes with every call, in place of a
// Map or Set: those leave their old tables behind them, linked, and what those hold is only freed by a full collection.

export interface Tickets<T> {
  readonly size: number;
  /** Keeps a value, and returns its number: 1, 2, 3 … with gaps where something is kept for long. */
  readonly take: (value: T) => number;
  readonly get: (ticket: number) => T | undefined;
  /** Whether there was something to drop. */
  readonly drop: (ticket: number) => boolean;
  /** What is kept now, in no order that means anything. */
  readonly values: () => readonly T[];
}

interface Kept<T> {
  readonly ticket: number;
  readonly value: T;
}

/**
 * @example
 * const waiting = createTickets<Call>();
 * const id = waiting.take(call);
 * waiting.get(id) === call; // until it is dropped, and then never again
 */
export function createTickets<T extends object>(): Tickets<T> {
  /** By the lowest bits of the ticket; as many places as a power of two, at least half of them free. */
  let places: (Kept<T> | undefined)[] = new Array(64).fill(undefined);
  let last = 0;
  let size = 0;
  const placeOf = (ticket: number): number => ticket & (places.length - 1);
  const find = (ticket: number): Kept<T> | undefined => {
    const kept = places[placeOf(ticket)];
    return kept?.ticket === ticket ? kept : undefined;
  };
  const grow = (): void => {
    const before = places;
    places = new Array(before.length * 2).fill(undefined);
    for (const kept of before) if (kept !== undefined) places[placeOf(kept.ticket)] = kept;
  };
  return {
    get size() {
      return size;
    },
    take(value) {
      if (size * 2 >= places.length) grow();
      do last += 1;
      while (places[placeOf(last)] !== undefined);
      places[placeOf(last)] = { ticket: last, value };
      size += 1;
      return last;
    },
    get: (ticket) => find(ticket)?.value,
    drop(ticket) {
      if (find(ticket) === undefined) return false;
      places[placeOf(ticket)] = undefined;
      size -= 1;
      return true;
    },
    values: () => places.flatMap((kept) => (kept === undefined ? [] : [kept.value])),
  };
}
