// Whether a request was given up. The signal is made when somebody looks at it: most answers come before anybody does.

export interface Cancellation {
  readonly cancelled: boolean;
  readonly signal: AbortSignal;
  /** Idempotent. */
  readonly cancel: () => void;
}

/** Calls `onCancel` once, at the moment it is cancelled. */
export function createCancellation(onCancel: () => void): Cancellation {
  let cancelled = false;
  let controller: AbortController | undefined;
  return {
    get cancelled() {
      return cancelled;
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (cancelled) controller.abort();
      }
      return controller.signal;
    },
    cancel() {
      if (cancelled) return;
      cancelled = true;
      controller?.abort();
      onCancel();
    },
  };
}
