// Where a config keeps its store, whether anything is there, and why not.

import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { escapeText } from "@onym/core";
import type { Config } from "../config/config.js";
import { OnymError } from "../model/onym-error.js";
import { showPath } from "../model/show-path.js";

const DEFAULT_STORE = "onym.db";
const IS_DATABASE = /^postgres(ql)?:\/\//;

/** @throws OnymError `no-store`. */
export function requireStore(config: Config): void {
  if (hasStore(config)) return;
  throw new OnymError(
    "no-store",
    `There is no store: "store" is ${JSON.stringify(escapeText(config.store ?? ""))} in ${showPath(config.file)}, so nothing outlives the gateway.`,
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
  /** No gateway has run with this config yet, or its file is gone. */
  readonly isMissing: boolean;
}

export interface Absence {
  readonly file: string;
  /** What a gateway had left beside the file: it is gone then, and not only to come. */
  readonly remains: readonly string[];
  /** For people. */
  readonly message: string;
}

export function storePlaceOf(config: Config): StorePlace {
  const location = config.store ?? DEFAULT_STORE;
  if (IS_DATABASE.test(location)) return { location, file: undefined, isMissing: false };
  const file = resolve(config.folder, location);
  // A place that is neither is refused by opening it, with the reason.
  return { location, file, isMissing: !/^[a-z][a-z0-9+.-]+:/i.test(location) && !existsSync(file) };
}

/** `undefined` where there is something at the place, whatever it is. */
export function findAbsence(config: Config, cwd: string): Absence | undefined {
  const { file, isMissing } = storePlaceOf(config);
  if (file === undefined || !isMissing) return undefined;
  const remains = ["-wal", "-shm", ".key"].map((end) => `${file}${end}`).filter((each) => existsSync(each));
  const shown = remains.map((each) => escapeText(basename(each))).join(" and ");
  const coming = existsSync(dirname(file))
    ? `${showPath(file, cwd)} does not exist; the gateway creates it when it starts.`
    : `${showPath(file, cwd)} does not exist: create its folder, and the gateway creates the file when it starts.`;
  const message =
    remains.length === 0
      ? coming
      : `The database ${showPath(file, cwd)} is gone: ${shown} ${remains.length === 1 ? "is" : "are"} still beside it. Put it back from where it went, or from a backup.`;
  return { file, remains, message };
}
