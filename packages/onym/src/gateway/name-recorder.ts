// Records names before they are shown: in a local lock at once, in a shared lock with a write that may be
// refused. Unrecorded names are not shown.

import type { NamesChoice } from "./catalog/gateway-snapshot.js";
import { isShared, type NameKeeper } from "./catalog/name-lock.js";
import type { RecordedNames, View } from "./gateway-context.js";

export interface NameRecorder extends RecordedNames {
  readonly close: () => void;
}

export interface NameRecorderOptions {
  readonly keepers: readonly NameKeeper[];
  readonly latestView: () => View;
  /** Rebuild the view from the names that are known now. */
  readonly refresh: () => void;
  /** The store may accept names again. */
  readonly retry: () => void;
}

/** Optimistic writes to the shared lock. Losing this many races in a row means a bug, not contention. */
const MAX_SWAP_ATTEMPTS = 50;
/** Pause after the store refused a write. */
const RETRY_DELAY_MS = 1_000;

export function createNameRecorder({
  keepers,
  latestView,
  refresh,
  retry,
}: NameRecorderOptions): NameRecorder {
  const shared = keepers.filter(isShared);
  for (const keeper of shared) keeper.watch(refresh);
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Writes run one after the other, so that a caller that waits for the same names finds them recorded. */
  let queue: Promise<unknown> = Promise.resolve();

  const pause = (): void => {
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      retry();
    }, RETRY_DELAY_MS);
    retryTimer.unref();
  };
  /** Whether nothing is left to do. */
  const recordOnce = async (choice: NamesChoice): Promise<boolean> => {
    const { recording } = latestView().snapshot;
    if (recording.isDone(choice) || retryTimer !== undefined) return true;
    let isNew = false;
    for (const { keeper, before, draft } of recording.drafts(choice)) {
      if (draft.kind === "recorded") continue;
      if (draft.kind === "stale") refresh();
      const outcome = draft.kind === "stale" ? "moved" : await keeper.swap(before, draft.next);
      if (outcome === "failed" && !isClosed) pause();
      if (outcome !== "kept") return outcome === "failed";
      isNew = true;
    }
    recording.setDone(choice);
    // Rebuild what was derived while names were missing.
    if (!isNew || !recording.isPartial()) return true;
    refresh();
    return false;
  };
  const recordNames = (choice: NamesChoice): View | Promise<View> => {
    const now = latestView();
    const { recording } = now.snapshot;
    if (recording.isDone(choice)) return now;
    const recorded = recording.recordTools(choice);
    if (recorded !== undefined) return recorded.then(() => recordNames(choice));
    if (shared.length === 0) recording.setDone(choice);
    if (shared.length === 0 || retryTimer !== undefined) return now;
    const done = queue.then(async () => {
      for (let tries = 0; tries < MAX_SWAP_ATTEMPTS && !(await recordOnce(choice)); tries += 1);
      return latestView();
    });
    queue = done.catch(() => {});
    return done;
  };
  return {
    isShared: shared.length > 0,
    recordNames,
    async recordPromptNames(choice) {
      for (;;) {
        const now = await recordNames(choice);
        const recorded = now.snapshot.recording.recordPrompts(choice);
        if (recorded === undefined) return now;
        await recorded;
      }
    },
    async reload() {
      await Promise.all(shared.map((keeper) => keeper.renew()));
    },
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
    },
  };
}
