// What a page shows: read when it opens, read again when asked, the last answer kept while the gateway is away.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, isOnline } from "../api.js";

export interface Loaded<Value> {
  readonly value: Signal<Value | undefined>;
  readonly error: Signal<string | undefined>;
  readonly reload: () => void;
}

export function useLoad<Value>(
  load: () => Promise<Value>,
  { everyMs, key = "" }: { readonly everyMs?: number; readonly key?: string } = {},
): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const latest = useRef(0);
  const loader = useRef(load);
  loader.current = load;
  const reload = useRef(() => {
    const turn = ++latest.current;
    loader.current().then(
      (next) => {
        if (turn !== latest.current) return;
        value.value = next;
        error.value = undefined;
      },
      (failure: unknown) => {
        if (turn === latest.current && failure instanceof ApiError) error.value = failure.message;
      },
    );
  }).current;
  useEffect(() => {
    reload();
    const timer = setInterval(() => {
      // A gateway that is away is asked again, also by pages that do not refresh.
      if (everyMs !== undefined || !isOnline.value) reload();
    }, everyMs ?? 2_000);
    return () => {
      latest.current += 1;
      clearInterval(timer);
    };
  }, [key, everyMs]);
  return { value, error, reload };
}
