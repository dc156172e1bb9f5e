// Values in flight, each under a number that is never reused.

export interface Tickets<T> {
  readonly size: number;
  /** Keeps a value, and returns its number: 1, 2, 3 … */
  readonly take: (value: T) => number;
  readonly get: (ticket: number) => T | undefined;
  /** Whether there was a value to drop. */
  readonly drop: (ticket: number) => boolean;
  /** The kept values, in insertion order. */
  readonly values: () => readonly T[];
}

/**
 * @example
 * const waiting = createTickets<Call>();
 * const id = waiting.take(call);
 * waiting.get(id) === call; // until it is dropped, and then never again
 */
export function createTickets<T extends object>(): Tickets<T> {
  const kept = new Map<number, T>();
  let last = 0;
  return {
    get size() {
      return kept.size;
    },
    take(value) {
      last += 1;
      kept.set(last, value);
      return last;
    },
    get: (ticket) => kept.get(ticket),
    drop: (ticket) => kept.delete(ticket),
    values: () => [...kept.values()],
  };
}
