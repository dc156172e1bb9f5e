// The store of a config, for commands that look into it or decide: opened, used, closed. Looking never makes a store.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { escapeText, OnymError } from "@onym/core";
import type { Config } from "../config/config.js";
import { loadConfig } from "../config/load-config.js";
import type { Store } from "../store/store.js";
import { showFile } from "./lock-file.js";
import type { Terminal } from "./terminal.js";

const DEFAULT_STORE = "onym.db";
const IS_DATABASE = /^postgres(ql)?:\/\//;

export interface StoreOptions {
  readonly config?: string;
}

export interface StoreUse {
  readonly config: Config;
  /** `undefined` where there is none yet: no gateway has run with this config. */
  readonly store: Store | undefined;
  /** As messages name it; no credentials. */
  readonly place: string;
}

/** @throws OnymError `no-store` where the config keeps nothing, and whatever opening a store refuses. */
export async function withStore<Result>(
  options: StoreOptions,
  terminal: Terminal,
  work: (use: StoreUse) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  requireStore(config);
  return useStore(config, terminal, work);
}

/** @throws OnymError `no-store`. */
export function requireStore(config: Config): void {
  if (hasStore(config)) return;
  throw new OnymError(
    "no-store",
    `There is no store: "store" is ${JSON.stringify(escapeText(config.store ?? ""))} in ${showFile(config.file)}, so nothing outlives the gateway.`,
    'Name a file there, such as "onym.db", or a database: "postgres://user@host/database".',
  );
}

/** What the gateway keeps can be seen from another process. */
export function hasStore({ store }: Config): boolean {
  return store !== "none" && store !== ":memory:";
}

export interface StorePlace {
  readonly location: string;
  /** `undefined` for a database. */
  readonly file: string | undefined;
  /** No gateway has run with this config yet. */
  readonly isMissing: boolean;
}

export function storePlaceOf(config: Config): StorePlace {
  const location = config.store ?? DEFAULT_STORE;
  if (IS_DATABASE.test(location)) return { location, file: undefined, isMissing: false };
  const file = resolve(config.folder, location);
  // A place that is neither is refused by opening it, with the reason.
  return { location, file, isMissing: !/^[a-z][a-z0-9+.-]+:/i.test(location) && !existsSync(file) };
}

export async function useStore<Result>(
  config: Config,
  terminal: Terminal,
  work: (use: StoreUse) => Promise<Result>,
): Promise<Result> {
  const { location, file, isMissing } = storePlaceOf(config);
  const place = file === undefined ? "the database" : showFile(file, terminal.cwd);
  if (isMissing) return work({ config, store: undefined, place });
  const { openStore } = await import("../store/open-store.js");
  const store = await openStore({ location, folder: config.folder });
  try {
    return await work({ config, store, place });
  } finally {
    await store.close();
  }
}
