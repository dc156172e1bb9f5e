// The store of a gateway, and the guards that work with it: one for each config that is in force.

import type { Config } from "../config/config.js";
import { type Guard, OPEN_GUARD } from "../gateway/guard/guard.js";
import type { Log } from "../observe/log.js";

/** Beside the config, unless it says otherwise. */
const DEFAULT_STORE = "onym.db";

export interface GuardSource {
  /** A guard for a config. @throws OnymError for a store that cannot be used. */
  readonly guardFor: (config: Config) => Promise<Guard>;
  /** After the last guard was closed. */
  readonly close: () => Promise<void>;
}

/** Nothing is decided and nothing recorded: for the demo. */
export const NO_GUARD: GuardSource = { guardFor: async () => OPEN_GUARD, close: async () => {} };

/**
 * Opens the store that the config names. With `"store": "none"` decisions last as long as the process does, and calls are
 * not recorded anywhere.
 *
 * @throws OnymError where the store is damaged, newer, or out of reach. It is left as it is.
 */
export async function openGuards(config: Config, log: Log): Promise<GuardSource> {
  const location = config.store ?? DEFAULT_STORE;
  const isKept = location !== "none";
  const decides = config.policy.default !== "allow" || config.policy.rules.length > 0;
  if (!isKept && !decides) return NO_GUARD;
  const [{ openStore }, { createGuard }] = await Promise.all([
    import("../store/open-store.js"),
    import("../gateway/guard/create-guard.js"),
  ]);
  const store = await openStore({ location: isKept ? location : ":memory:", folder: config.folder, log });
  return {
    guardFor: ({ policy, audit, renames }) =>
      createGuard({ policy, audit, renames, store, log, now: Date.now }),
    close: () => store.close(),
  };
}
