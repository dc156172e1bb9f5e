// Whether a store that failed can be used again. It is tried when somebody asks, because a gateway that is known to fail may
// get no calls that would find out.

import type { StoreSession } from "./session.js";
import type { SecretStore, Store } from "./store.js";
import { storeUnavailable } from "./store-errors.js";

/** As much as a few calls leave on record: on a disk that is all but full, one row may still find room. */
const PROBE_BYTES = 64 * 1024;
const PROBE_KEY = "onym/probe";
/** Commits of other processes take milliseconds. Who holds the store longer keeps calls from being recorded. */
const HELD_MS = 1_000;

export function createTrouble(
  session: StoreSession,
  secrets: SecretStore,
  room: Store["room"] = () => undefined,
): Store["trouble"] {
  let trying: Promise<unknown> | undefined;
  const tryOut = async (): Promise<unknown> => {
    try {
      await secrets.write(PROBE_KEY, new Uint8Array(PROBE_BYTES));
      await secrets.remove(PROBE_KEY);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  return async () => {
    const held = session.heldMs();
    if (held > HELD_MS)
      return storeUnavailable(
        session.place,
        `another process has held it for ${Math.floor(held / 1000)} s, and calls wait to be recorded`,
      );
    const full = room();
    if (full !== undefined) return full;
    if (!session.hasFailed()) return undefined;
    trying ??= tryOut().finally(() => {
      trying = undefined;
    });
    return trying;
  };
}
