// What every request in flight takes, cheaper than the platform's own: a cancel signal, and a number to be found by. The plain
// version of each is the oracle of its test.

// Whether a request is still wanted: the part of an AbortSignal that requests need. An AbortController costs
// 8.4 µs of CPU time per call, this 0.02 µs: 4 to 16 % of a call (2026-11-17, bench/gateway/fast-path.mjs).

/** Every AbortSignal satisfies it, and is the oracle of the tests. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface CancelSource {
  readonly signal: CancelSignal;
  /** Idempotent. */
  readonly cancel: () => void;
}

/**
 * Created for every request, while hardly any is cancelled: allocates listeners only on demand, and calls
 * each once.
 * @example
 * const { signal, cancel } = createCancelSource();
 * signal.addEventListener("abort", () => socket.end());
 * cancel();
 */
export function createCancelSource(): CancelSource {
  return new Source();
}

/** For APIs that need a real one, such as `AbortSignal.any`. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  return controller.signal;
}

/** Source and signal in one object, with a list only for more than one listener, which is rare. */
class Source implements CancelSource, CancelSignal {
  aborted = false;
  #only: (() => void) | undefined;
  #listeners: Set<() => void> | undefined;

  get signal(): CancelSignal {
    return this;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted || this.#only === listener) return;
    if (this.#only === undefined && this.#listeners === undefined) this.#only = listener;
    else {
      this.#listeners ??= new Set(this.#only === undefined ? [] : [this.#only]);
      this.#only = undefined;
      this.#listeners.add(listener);
    }
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#only === listener) this.#only = undefined;
    else this.#listeners?.delete(listener);
  }

  readonly cancel = (): void => {
    if (this.aborted) return;
    this.aborted = true;
    this.#only?.();
    // A listener that is removed during the loop is not called.
    for (const listener of this.#listeners ?? []) listener();
    this.#only = undefined;
    this.#listeners = undefined;
  };
}

// Values in flight, each under a number that is never reused: a Map from number to value. For what comes and goes with every
// call, a real Map costs more than it seems: it leaves its old tables behind, linked, and once one of them is in V8's old space,
// whole calls live on until the next full collection. A call over HTTP to a stdio server takes 155 µs of CPU with this and 193 µs
// with a Map (2026-11-17, Node 20, interleaved).

export interface Tickets<T> {
  readonly size: number;
  /** Keeps a value, and returns its number: 1, 2, 3 … with gaps where another value is kept for long. */
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
  /** Indexed by the lowest bits of the ticket. Its length is a power of two, and at least half of it is free. */
  let places: (T | undefined)[] = new Array(64).fill(undefined);
  /** The ticket of each place; 0 where it is free. */
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
