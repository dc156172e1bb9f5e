// The record of names: can it be read and written, and is it still true.

import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { diffLocks, type Lock, OnymError } from "@onym/core";
import type { Config } from "../../config/config.js";
import { countNoun } from "../count-noun.js";
import { profilesByAlias } from "../diff.js";
import { loadLock, lockFileOf, showFile } from "../lock-file.js";
import { snapshotOf } from "../open-snapshot.js";
import type { Terminal } from "../terminal.js";
import type { Check } from "./check.js";

export type ReadLock = { readonly lock: Lock | undefined } | { readonly problem: OnymError };

/** A lock that cannot be read is a finding here, and no reason to look no further. */
export function loadLockOf(config: Config): ReadLock {
  return tryLock(lockFileOf(config));
}

function tryLock(file: string): ReadLock {
  try {
    return { lock: loadLock(file) };
  } catch (error) {
    if (error instanceof OnymError) return { problem: error };
    throw error;
  }
}

/** `config` with the tools that servers list now; names of those that failed stay as they are. */
export function checkLock(
  config: Config,
  read: ReadLock,
  { cwd, today }: Pick<Terminal, "cwd" | "today">,
): readonly Check[] {
  const name = showFile(lockFileOf(config), cwd);
  const prompts = resolve(config.folder, "onym.prompts.lock");
  const ofPrompts = tryLock(prompts);
  return [
    checkNamesLock(config, read, { name, today }),
    ...("problem" in ofPrompts ? [unreadable(showFile(prompts, cwd), ofPrompts.problem)] : []),
    ...checkFolder(config.folder, name),
  ];
}

function checkNamesLock(
  config: Config,
  read: ReadLock,
  { name, today }: { readonly name: string; readonly today: string },
): Check {
  if ("problem" in read) return unreadable(name, read.problem);
  const about = { group: "Lock", name } as const;
  const { lock } = read;
  if (lock === undefined)
    return { ...about, status: "ok", message: "not there yet; onym serve and onym lock write it" };
  let next = lock;
  for (const [as, ids] of profilesByAlias([...lock.profiles.keys()]))
    next = snapshotOf(config, { lock: next, as, today }).nextLock(ids);
  const { added, kept, retired, moved, redefined } = diffLocks(lock, next);
  const told = Object.entries({ retired, moved, "of changed definition": redefined }).flatMap(
    ([what, names]) => (names.length === 0 ? [] : [`${countNoun(names.length, "name")} ${what}`]),
  );
  if (told.length > 0) {
    const fix = "See them with onym lock --live --check, and record them with onym lock --live.";
    return { ...about, status: "warning", message: `out of step: ${told.join(", ")}`, fix };
  }
  const more = added.length === 0 ? "" : `, ${countNoun(added.length, "new name")} to record`;
  return { ...about, status: "ok", message: `in step: ${countNoun(kept, "name")} kept${more}` };
}

function unreadable(name: string, { message, hint }: OnymError): Check {
  return { group: "Lock", name, status: "error", message, fix: hint };
}

function checkFolder(folder: string, name: string): readonly Check[] {
  try {
    accessSync(folder, constants.W_OK);
    return [];
  } catch {
    const message =
      "Its folder may not be written to: names cannot be recorded, and may move after a restart.";
    return [
      { group: "Lock", name, status: "error", message, fix: "Make the folder of the config writable." },
    ];
  }
}
