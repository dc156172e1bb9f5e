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
