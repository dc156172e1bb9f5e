// Whether somebody still waits for a request. The part of an AbortSignal that requests need, at a fraction of its cost.

/** Every AbortSignal is one. */
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
 * Made for every request, while hardly any is cancelled: listeners are kept only while there are some, each is told once.
 *
 * @example
 * const { signal, cancel } = createCancelSource();
 * signal.addEventListener("abort", () => socket.end());
 * cancel();
 */
export function createCancelSource(): CancelSource {
  const signal = new Signal();
  return { signal, cancel: () => signal.cancel() };
}

/** For what takes nothing but a real one, such as `AbortSignal.any`. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  return controller.signal;
}

class Signal implements CancelSignal {
  aborted = false;
  #listeners: Set<() => void> | undefined;

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    // Who leaves while the others are told is not told any more.
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
  }
}
