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
  return new Source();
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

/** Both in one object, and a list of listeners only where there is more than one: hardly any request has more. */
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
    // Who leaves while the others are told is not told any more.
    for (const listener of this.#listeners ?? []) listener();
    this.#only = undefined;
    this.#listeners = undefined;
  };
}
