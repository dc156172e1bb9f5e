// The approvals in force as this process knows them: read from the store, and again after each change by anybody.

import type { ToolKey } from "@onym/core";
import type { Log } from "../../observe/log.js";
import { buildStandingCache, type StandingState } from "../../policy/standing-cache.js";
import type { Store } from "../../store/store.js";
import { describeError } from "../describe-error.js";

export interface StandingApprovals {
  readonly find: (subject: { readonly principal: string; readonly tool: ToolKey }) => StandingState;
  /** Resolves when what the store holds now is known here. */
  readonly refresh: () => Promise<void>;
  /** Called after each change. */
  readonly changes: Set<() => void>;
  readonly close: () => void;
}

const RETRY_MS = 1_000;

export interface StandingOptions {
  readonly store: Pick<Store, "approvals" | "watch">;
  readonly now: () => number;
  readonly log: Log;
  readonly retryMs?: number;
}

/** Reads before it resolves, so that no call is decided without what stands. */
export async function createStandingApprovals(options: StandingOptions): Promise<StandingApprovals> {
  const { store, now, log, retryMs = RETRY_MS } = options;
  const changes = new Set<() => void>();
  // Those that have expired, too: they tell why it asks.
  const load = async () => buildStandingCache(await store.approvals.inForce(0));
  let cache = await load();
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    try {
      cache = await load();
    } catch (error) {
      if (isClosed) return;
      // A change that was told once is not told again: without a retry a revocation would be missed.
      log("error", `approvals cannot be read again: ${describeError(error)}`);
      clearTimeout(retry);
      retry = setTimeout(() => void refresh(), retryMs).unref();
      return;
    }
    for (const tell of [...changes]) tell();
  };
  /** One after the other: an older state must not take the place of a newer one. */
  const refresh = (): Promise<void> => {
    next ??= reading.then(() => {
      next = undefined;
      reading = isClosed ? Promise.resolve() : read();
      return reading;
    });
    return next;
  };
  const stopWatching = store.watch(() => void refresh());
  return {
    find: (subject) => cache.find(subject, now()),
    refresh,
    changes,
    close() {
      isClosed = true;
      clearTimeout(retry);
      stopWatching();
    },
  };
}
