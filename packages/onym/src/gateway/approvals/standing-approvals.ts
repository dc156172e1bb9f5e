// The approvals in force as this process knows them: read from the store, and again after each change by anybody.

import type { Log } from "../../model/log.js";
import { buildStandingCache, type StandingState, type StandingSubject } from "../../policy/standing-cache.js";
import type { DecisionStore, StoredApproval } from "../../store/store.js";
import { describeError } from "../describe-error.js";
import { createStoreMirror, type StoreMirror } from "./store-mirror.js";

export interface StandingApprovals extends Pick<StoreMirror<unknown>, "refresh" | "changes" | "close"> {
  readonly find: (subject: StandingSubject) => StandingState;
}

export interface StandingOptions {
  readonly store: Pick<DecisionStore, "approvals" | "watch">;
  readonly now: () => number;
  /** ms by a clock that is never set. */
  readonly elapsed?: () => number;
  readonly log: Log;
  readonly retryMs?: number;
}

/** Reads before it resolves, so that no call is decided without what stands. */
export async function createStandingApprovals(options: StandingOptions): Promise<StandingApprovals> {
  const { store, now, log, retryMs } = options;
  const ends = createEnds(options);
  const { current, refresh, changes, close } = await createStoreMirror({
    what: "approvals",
    // Those that have expired, too: they tell why it asks.
    load: async () => {
      const rows = await store.approvals.standing();
      ends.note(rows);
      return buildStandingCache(rows);
    },
    watch: store.watch,
    log,
    retryMs,
  });
  return {
    find(subject) {
      const state = current().find(subject, now());
      if (state.kind === "none" || !ends.isOver(state)) return state;
      return { ...state, kind: "expired" };
    },
    refresh,
    changes,
    close() {
      ends.settle();
      close();
    },
  };
}

/**
 * When decisions end. What has ended stays so: by a clock that is never set while this process runs, and by a mark in the
 * store for those that come after it. A wall clock that is set back brings none to life again.
 */
function createEnds({ store, now, elapsed = () => performance.now(), log }: StandingOptions) {
  /** By `elapsed`, for each decision that has an end and no mark yet. */
  const deadlines = new Map<number, number>();
  const mark = (id: number): void => {
    deadlines.set(id, Number.NEGATIVE_INFINITY);
    store.approvals
      .expire(id)
      .catch((error: unknown) =>
        log("warn", `the end of the decision ${id} cannot be stored: ${describeError(error)}`),
      );
  };
  const settle = (): void => {
    for (const [id, deadline] of deadlines)
      if (deadline !== Number.NEGATIVE_INFINITY && deadline <= elapsed()) mark(id);
  };
  return {
    note(rows: readonly StoredApproval[]): void {
      const present = new Set<number>();
      for (const { id, expiresAt, revokedAt } of rows) {
        if (expiresAt === undefined || revokedAt !== undefined) continue;
        present.add(id);
        if (!deadlines.has(id)) deadlines.set(id, elapsed() + expiresAt - now());
      }
      for (const id of deadlines.keys()) if (!present.has(id)) deadlines.delete(id);
      settle();
    },
    isOver({ id, kind }: StandingState & { readonly id: number }): boolean {
      const deadline = deadlines.get(id);
      if (deadline === undefined) return kind === "expired";
      const isOver = kind === "expired" || deadline <= elapsed();
      if (isOver && deadline !== Number.NEGATIVE_INFINITY) mark(id);
      return isOver;
    },
    settle,
  };
}
