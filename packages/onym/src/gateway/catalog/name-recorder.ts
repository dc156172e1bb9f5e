// Names before they are shown: on record in the lock that replicas share, or not shown. Where the lock is this machine's
// own, there is nothing to wait for.

import type { Log } from "../../model/log.js";
import { describeError } from "../describe-error.js";
import type { Sight } from "../gateway-context.js";
import type { NamesChoice } from "./gateway-snapshot.js";
import { isShared, type NameKeeper } from "./name-lock.js";

export interface NameDesk {
  /** Others give out names of the same lock. */
  readonly isShared: boolean;
  /** The sight in force, once all that it shows this caller is on record; with less in it where the store refuses. */
  readonly secure: (choice: NamesChoice) => Sight | Promise<Sight>;
  /** Does something once that is so for all of them. Never rejects. */
  readonly secureAll: (choices: readonly NamesChoice[], work: () => void) => Promise<void>;
  /** Knows what others recorded before this was called. */
  readonly renew: () => Promise<void>;
  readonly close: () => void;
}

export interface NamePorts {
  readonly keepers: readonly NameKeeper[];
  readonly sight: () => Sight;
  /** The view has to be built again, from the names that are known now. */
  readonly refresh: () => void;
  /** The store may take names again. */
  readonly retry: () => void;
  readonly log: Log;
}

/** Each time somebody else was first; more than so many in a row do not happen by chance. */
const MOST_TRIES = 50;
/** How long a store that refused is left alone. */
const REST_MS = 1_000;

export function createNameDesk({ keepers, sight, refresh, retry, log }: NamePorts): NameDesk {
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
    }, REST_MS);
    rest.unref();
  };
  /** Whether there is nothing left to do. */
  const secureOnce = async (choice: NamesChoice): Promise<boolean> => {
    const { recording } = sight().view;
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
  const secure = (choice: NamesChoice): Sight | Promise<Sight> => {
    const now = sight();
    const made = now.view.recording.prepare(choice);
    if (made !== undefined) return made.then(() => secure(choice));
    if (now.view.recording.isDone(choice) || rest !== undefined) return now;
    const done = queue.then(async () => {
      for (let tries = 0; tries < MOST_TRIES && !(await secureOnce(choice)); tries += 1);
      return sight();
    });
    queue = done.catch(() => {});
    return done;
  };
  return {
    isShared: shared.length > 0,
    secure,
    async secureAll(choices, work) {
      try {
        for (const choice of choices) await secure(choice);
        work();
      } catch (error) {
        // A bug of ours; it must not take the gateway down.
        log("error", `names could not be made ready: ${describeError(error)}`);
      }
    },
    async renew() {
      await Promise.all(shared.map((keeper) => keeper.renew()));
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
    },
  };
}
