// The record of names: can it be read and written, and is it still true.

import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { diffLocks, EMPTY_LOCK, formatLock, type Lock } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { loadLock, lockFileOf } from "../../../configured/lock-file.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";
import { programName } from "../../../output/package-folder.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { profilesByAlias } from "../../names/lock/diff.js";
import { type GivenNames, hasSharedNames, loadGivenNames } from "../../names/lock/given-names.js";
import type { Check } from "./check.js";

export type ReadLock = GivenNames | { readonly problem: OnymError };

/** Names that cannot be read are a finding here, and no reason to look no further. */
export async function loadLockOf(config: Config, cwd: string): Promise<ReadLock> {
  try {
    return await loadGivenNames(config, cwd);
  } catch (error) {
    const { cause } = refusalOf(error);
    // The way out that other commands have is none here.
    return { problem: refusalOf(cause instanceof OnymError ? cause : error) };
  }
}

function tryLock(file: string): { readonly lock: Lock | undefined } | { readonly problem: OnymError } {
  try {
    return { lock: loadLock(file) };
  } catch (error) {
    return { problem: refusalOf(error) };
  }
}

/** What else is thrown is a bug. */
function refusalOf(error: unknown): OnymError {
  if (error instanceof OnymError) return error;
  throw error;
}

/** `config` with the tools that servers list now; names of those that failed stay as they are. */
export function checkLock(
  config: Config,
  read: ReadLock,
  { cwd, today }: Pick<Terminal, "cwd" | "today">,
): readonly Check[] {
  const name = showPath(lockFileOf(config), cwd);
  if (hasSharedNames(config)) return [checkSharedNames(config, read, name)];
  const prompts = resolve(config.folder, "onym.prompts.lock");
  const ofPrompts = tryLock(prompts);
  return [
    checkNamesLock(config, read, { name, today }),
    ...("problem" in ofPrompts ? [unreadable(showPath(prompts, cwd), ofPrompts.problem)] : []),
    ...checkFolder(config.folder, name),
  ];
}

/** In a database names are neither retired nor written by this machine; only the copy in the file can be out of step. */
function checkSharedNames(config: Config, read: ReadLock, file: string): Check {
  if ("problem" in read) return unreadable("database", read.problem);
  const about = { group: "Lock", name: "database" } as const;
  if (!read.isShared || read.lock === undefined)
    return { ...about, status: "ok", message: "no names yet; the first gateway gives them out" };
  const copy = tryLock(lockFileOf(config));
  if ("problem" in copy) return unreadable(file, copy.problem);
  const count = countNoun(diffLocks(EMPTY_LOCK, read.lock).added.length, "name");
  const message = `${count} in ${read.from}`;
  if (copy.lock === undefined || formatLock(copy.lock) === formatLock(read.lock))
    return { ...about, status: "ok", message };
  const fix = "See how with onym lock --check, and take those in the database with onym lock.";
  return { ...about, status: "warning", message: `${message}; ${file} has others`, fix };
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
    return {
      ...about,
      status: "ok",
      message: `not there yet; written when the first client lists tools, or by ${programName()} lock`,
    };
  let next = lock;
  for (const [as, ids] of profilesByAlias([...lock.profiles.keys()], config.profiles))
    next = snapshotOf(config, { lock: next, as, today }).nextLock(ids);
  const { added, kept, retired, moved, handedOn, redefined } = diffLocks(lock, next);
  // A tool that is gone keeps its names; that is no more than its server, or its client's undo, meant.
  const parts = Object.entries({ moved, "of changed definition": redefined }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${countNoun(names.length, "name")} ${what}`],
  );
  if (parts.length > 0) {
    const fix = "See them with onym lock --live --check, and record them with onym lock --live.";
    return { ...about, status: "warning", message: `out of step: ${parts.join(", ")}`, fix };
  }
  const more = [
    retired.length === 0 ? "" : `, ${countNoun(retired.length, "name")} retired`,
    handedOn.length === 0 ? "" : `, ${countNoun(handedOn.length, "name")} handed on by a rename`,
    added.length === 0 ? "" : `, ${countNoun(added.length, "new name")} to record`,
  ].join("");
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
