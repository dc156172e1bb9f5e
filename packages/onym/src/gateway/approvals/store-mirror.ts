// A part of the store as this process knows it: read whole, and again after each change by any process.

import type { Log } from "../../model/log.js";
import type { Store } from "../../store/store.js";
import { describeError } from "../describe-error.js";

export interface StoreMirror<Value> {
  readonly current: () => Value;
  /** Resolves when the current content of the store is known here. */
  readonly refresh: () => Promise<void>;
  /** Called after each change. */
  readonly changes: Set<() => void>;
  readonly close: () => void;
}

export interface MirrorOptions<Value> {
  /** Names the data in messages. */
  readonly what: string;
  /** Returns the same value if nothing changed. */
  readonly load: (before: Value | undefined) => Promise<Value>;
  readonly watch: Store["watch"];
  readonly log: Log;
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 1_000;

/** Reads before it resolves. If the store cannot be read later, the last value stays. */
export async function createStoreMirror<Value>(options: MirrorOptions<Value>): Promise<StoreMirror<Value>> {
  const { what, load, watch, log, retryMs = RETRY_MS } = options;
  const changes = new Set<() => void>();
  let value = await load(undefined);
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const before = value;
    try {
      value = await load(before);
    } catch (error) {
      if (isClosed) return;
      // The store announces a change only once: without a retry a revocation would be missed.
      log("error", `${what} cannot be read again: ${describeError(error)}`);
      clearTimeout(retry);
      retry = setTimeout(() => void refresh(), retryMs).unref();
      return;
    }
    if (value === before) return;
    for (const tell of [...changes]) {
      try {
        tell();
      } catch (error) {
        // A bug in one listener must not keep changes from the others.
        log("error", `a change of ${what} could not be told: ${describeError(error)}`);
      }
    }
  };
  /** One after the other: an older state must not replace a newer one. */
  const refresh = (): Promise<void> => {
    next ??= reading.then(() => {
      next = undefined;
      reading = isClosed ? Promise.resolve() : read();
      return reading;
    });
    return next;
  };
  const stopWatching = watch(() => void refresh());
  return {
    current: () => value,
    refresh,
    changes,
    close() {
      isClosed = true;
      clearTimeout(retry);
      stopWatching();
    },
  };
}
