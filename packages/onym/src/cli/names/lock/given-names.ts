// The names that the gateway of a config gives out, wherever it keeps them: in the lock beside the config, or with other
// gateways in a database. Reading makes neither.

import { EMPTY_LOCK, type Lock } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { loadLock, lockFileOf } from "../../../configured/lock-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { pathFromHere } from "../../../output/wording.js";
import type { Store } from "../../../store/store.js";

export interface GivenNames {
  /** `undefined` where none were given out yet. */
  readonly lock: Lock | undefined;
  /** Where they were read: the database, without credentials, or the file. */
  readonly from: string | undefined;
  readonly isShared: boolean;
}

/** Whether names are given out in the store of this config, which is a database then. */
export function hasSharedNames({ store }: Config): boolean {
  return store !== undefined && /^postgres(ql)?:\/\//.test(store);
}

/**
 * A database that nobody has used yet begins with the file.
 *
 * @throws OnymError where they cannot be read: a wrong answer would be worse than none.
 */
export async function loadGivenNames(config: Config, cwd: string): Promise<GivenNames> {
  const { store } = config;
  if (store !== undefined && hasSharedNames(config)) {
    const { readNames } = await import("../../../store/parts/read-names.js");
    const { place, stored } = await readNames(store).catch(explainUnread);
    if (stored !== undefined && stored.revision > 0)
      return { lock: stored.lock, from: place, isShared: true };
  }
  const file = lockFileOf(config);
  const lock = loadLock(file);
  return { lock, from: lock === undefined ? undefined : pathFromHere(file, cwd), isShared: false };
}

/** The same, with a store that is open already. */
export async function givenNamesIn(store: Store, config: Config): Promise<Lock> {
  const shared = store.engine === "postgres" ? await store.names.load("tools") : undefined;
  if (shared !== undefined && shared.revision > 0) return shared.lock;
  return loadLock(lockFileOf(config)) ?? EMPTY_LOCK;
}

function explainUnread(error: unknown): never {
  if (!(error instanceof OnymError)) throw error;
  const { code, message } = error;
  throw new OnymError(
    code,
    `The names that gateways give out cannot be read. ${message}`,
    "Fix that and try again; --no-lock shows names as they would be given out anew, which need not be those in use.",
    { cause: error },
  );
}
