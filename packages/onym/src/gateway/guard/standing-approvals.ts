// The approvals in force as this process knows them: read from the store, and again after each change by anybody.

import type { Log } from "../../observe/log.js";
import { buildStandingCache, type StandingState, type StandingSubject } from "../../policy/standing-cache.js";
import type { DecisionStore } from "../../store/store.js";
import { createStoreMirror, type StoreMirror } from "./store-mirror.js";

export interface StandingApprovals extends Pick<StoreMirror<unknown>, "refresh" | "changes" | "close"> {
  readonly find: (subject: StandingSubject) => StandingState;
}

export interface StandingOptions {
  readonly store: Pick<DecisionStore, "approvals" | "watch">;
  readonly now: () => number;
  readonly log: Log;
  readonly retryMs?: number;
}

/** Reads before it resolves, so that no call is decided without what stands. */
export async function createStandingApprovals(options: StandingOptions): Promise<StandingApprovals> {
  const { store, now, log, retryMs } = options;
  const { current, refresh, changes, close } = await createStoreMirror({
    what: "approvals",
    // Those that have expired, too: they tell why it asks.
    load: async () => buildStandingCache(await store.approvals.inForce(0)),
    watch: store.watch,
    log,
    retryMs,
  });
  return { find: (subject) => current().find(subject, now()), refresh, changes, close };
}
