// The approvals in force as this process knows them: read from the store, and again after each change by any
// process.

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
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
  readonly log: Log;
  readonly retryMs?: number;
}

/** Reads before it resolves, so that every call is decided with the approvals in force. */
export async function createStandingApprovals(options: StandingOptions): Promise<StandingApprovals> {
  const { store, now, log, retryMs } = options;
  const ends = createEnds(options);
  const { current, refresh, changes, close } = await createStoreMirror({
    what: "approvals",
    // Includes expired ones: they explain why approval is needed again.
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
 * Tracks when decisions expire. An expired decision stays expired: a monotonic clock ensures it in this
 * process, a mark in the store for later ones. Setting the wall clock back revives none.
 */
function createEnds({ store, now, elapsed = () => performance.now(), log }: StandingOptions) {
  /** In `elapsed` time, for each decision with an end that is not marked yet. */
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
