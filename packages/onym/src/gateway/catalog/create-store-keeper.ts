// The lock in a store that replicas share: cached as last seen, changed by compare-and-set.

import type { Lock } from "@onym/core";
import type { Log } from "../../model/log.js";
import type { NameSpace, Store, StoredNames } from "../../store/store.js";
import { describeError } from "../failure-codes.js";
import type { SharedKeeper } from "./name-lock.js";
import { hasNewNames } from "./shared-names.js";

export interface StoreKeeperOptions {
  readonly store: Pick<Store, "names" | "watch">;
  readonly space: NameSpace;
  /** Names from before there was a store. They are written to it if it is empty. */
  readonly seed?: Lock | undefined;
  readonly log: Log;
}

/** @throws OnymError if the store cannot be read at the start. */
export async function createStoreKeeper({
  store,
  space,
  seed,
  log,
}: StoreKeeperOptions): Promise<SharedKeeper> {
  let known: StoredNames = await store.names.load(space);
  if (known.revision === 0 && seed !== undefined) known = (await store.names.swap(space, known, seed)).stored;
  const listeners = new Set<() => void>();
  let hasLogged = false;
  /** Writes and reads overlap; the higher revision wins. */
  const take = (stored: StoredNames): void => {
    if (stored.revision <= known.revision) return;
    const { lock } = known;
    known = stored;
    if (hasNewNames(lock, stored.lock)) for (const listener of listeners) listener();
  };
  const logFailure = (text: string, error: unknown): void => {
    if (!hasLogged) log("error", `${text}: ${describeError(error)}`, { names: space });
    hasLogged = true;
  };
  const renew = async (): Promise<void> => {
    try {
      if ((await store.names.revision(space)) > known.revision) take(await store.names.load(space));
      hasLogged = false;
    } catch (error) {
      logFailure("names of other replicas cannot be read; those known here go on", error);
    }
  };
  store.watch(() => void renew());
  return {
    current: () => known.lock,
    async swap(before, next) {
      if (known.lock !== before) return "moved";
      try {
        const { outcome, stored } = await store.names.swap(space, known, next);
        hasLogged = false;
        // Our own write is not news for listeners.
        if (outcome === "kept" && stored.revision > known.revision) known = stored;
        else take(stored);
        return outcome;
      } catch (error) {
        logFailure(
          "names cannot be recorded; tools without a name on record are not listed until they are",
          error,
        );
        return "failed";
      }
    },
    renew,
    watch: (listener) => void listeners.add(listener),
  };
}
