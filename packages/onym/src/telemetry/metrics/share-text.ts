// One text for the scrapes of a moment, whoever asks: however many there are, few are made (SAFE-5). Only who may see all of it
// asks for it.

export interface SharedTextOptions {
  readonly make: () => Promise<Uint8Array<ArrayBuffer>>;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
}

/** Rejects with the signal's reason once its client has left. */
export type ReadText = (signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>;

/** A smaller text takes a millisecond, and is made anew for each scrape that does not come meanwhile. */
const LARGE_BYTES = 65_536;
/** How long a larger one is given to every scrape. Prometheus asks every few seconds at most. */
const KEPT_MS = 1_000;

/** A text that was begun is finished, also if nobody waits for it any more: the next scrape would begin it again. */
export function shareText({ make, elapsed = () => performance.now() }: SharedTextOptions): ReadText {
  let current: Promise<Uint8Array<ArrayBuffer>> | undefined;
  let keptUntil = Number.POSITIVE_INFINITY;
  const begin = (): Promise<Uint8Array<ArrayBuffer>> => {
    keptUntil = Number.POSITIVE_INFINITY;
    const made = make();
    current = made;
    made.then(
      ({ length }) => {
        if (length > LARGE_BYTES) keptUntil = elapsed() + KEPT_MS;
        else current = undefined;
      },
      () => {
        current = undefined;
      },
    );
    return made;
  };
  return (signal) => {
    const text = current === undefined || elapsed() >= keptUntil ? begin() : current;
    return untilAborted(text, signal);
  };
}

function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
