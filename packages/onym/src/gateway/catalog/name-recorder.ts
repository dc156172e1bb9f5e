// Names before they are shown: on record in the lock that replicas share, or not shown. Where the lock is this machine's
// own, there is nothing to wait for.

import type { Log } from "../../model/log.js";
import { describeError } from "../describe-error.js";
import type { RecordedNames, View } from "../gateway-context.js";
import type { NamesChoice } from "./gateway-snapshot.js";
import { isShared, type NameKeeper } from "./name-lock.js";

export interface NameRecorder extends RecordedNames {
  /** Does something once that is so for all of them. Never rejects. */
  readonly recordAll: (choices: readonly NamesChoice[], work: () => void) => Promise<void>;
  readonly close: () => void;
}

export interface NameRecorderOptions {
  readonly keepers: readonly NameKeeper[];
  readonly view: () => View;
  /** The view has to be built again, from the names that are known now. */
  readonly refresh: () => void;
  /** The store may take names again. */
  readonly retry: () => void;
  readonly log: Log;
}

/** Each time somebody else was first; more than so many in a row do not happen by chance. */
const MAX_SWAP_ATTEMPTS = 50;
/** How long a store that refused is left alone. */
const RETRY_DELAY_MS = 1_000;

export function createNameRecorder({
  keepers,
  view,
  refresh,
  retry,
  log,
}: NameRecorderOptions): NameRecorder {
  const shared = keepers.filter(isShared);
  for (const keeper of shared) keeper.watch(refresh);
  let rest: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** One after the other: those who wait for the same names find them recorded. */
  let queue: Promise<unknown> = Promise.resolve();

  const pause = (): void => {
    rest = setTimeout(() => {
      rest = undefined;
      retry();
    }, RETRY_DELAY_MS);
    rest.unref();
  };
  /** Whether there is nothing left to do. */
  const recordOnce = async (choice: NamesChoice): Promise<boolean> => {
    const { recording } = view().snapshot;
    if (recording.isDone(choice) || rest !== undefined) return true;
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
    // What was made of it when names were missing is made again.
    if (!isNew || !recording.isPartial()) return true;
    refresh();
    return false;
  };
  const viewWithNames = (choice: NamesChoice): View | Promise<View> => {
    const now = view();
    const made = now.snapshot.recording.prepare(choice);
    if (made !== undefined) return made.then(() => viewWithNames(choice));
    if (now.snapshot.recording.isDone(choice) || rest !== undefined) return now;
    const done = queue.then(async () => {
      for (let tries = 0; tries < MAX_SWAP_ATTEMPTS && !(await recordOnce(choice)); tries += 1);
      return view();
    });
    queue = done.catch(() => {});
    return done;
  };
  return {
    isShared: shared.length > 0,
    viewWithNames,
    async recordAll(choices, work) {
      try {
        for (const choice of choices) await viewWithNames(choice);
        work();
      } catch (error) {
        // A bug of ours; it must not take the gateway down.
        log("error", `names could not be made ready: ${describeError(error)}`);
      }
    },
    async reload() {
      await Promise.all(shared.map((keeper) => keeper.renew()));
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
    },
  };
}
