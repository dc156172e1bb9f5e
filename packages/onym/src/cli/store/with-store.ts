// The store of a config, for commands that look into it or decide: opened, used, closed. Looking never makes a store.

import type { Config } from "../../config/config.js";
import { type Absence, findAbsence, requireStore, storePlaceOf } from "../../configured/store-place.js";
import type { Terminal } from "../../output/terminal.js";
import type { Store } from "../../store/store.js";
import { loadConfigHere } from "../catalog/config-here.js";

export interface StoreOptions {
  readonly config?: string;
}

export type StoreUse = { readonly config: Config } & (
  | { readonly store: Store; readonly absence: undefined }
  /** There is none yet, because no gateway has run with this config, or none any more. */
  | { readonly store: undefined; readonly absence: Absence }
);

/** @throws OnymError `no-store` where the config keeps nothing, and whatever opening a store refuses. */
export async function withStore<Result>(
  options: StoreOptions,
  terminal: Terminal,
  work: (use: StoreUse) => Promise<Result>,
): Promise<Result> {
  const config = loadConfigHere(options, terminal);
  requireStore(config);
  return useStore(config, terminal, work);
}

export async function useStore<Result>(
  config: Config,
  terminal: Terminal,
  work: (use: StoreUse) => Promise<Result>,
): Promise<Result> {
  const { location } = storePlaceOf(config);
  const absence = findAbsence(config, terminal.cwd);
  if (absence !== undefined) return work({ config, store: undefined, absence });
  const { openStore } = await import("../../store/open-store.js");
  const { findStoreSeal } = await import("../../configured/store-seal.js");
  const { seal } = findStoreSeal(config, terminal.env, "open");
  const store = await openStore({ location, folder: config.folder, seal });
  try {
    return await work({ config, store, absence });
  } finally {
    await store.close();
  }
}
