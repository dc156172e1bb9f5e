// onym diff: what happened to names between two locks, or between two configs.

import { resolve } from "node:path";
import { diffLocks, EMPTY_LOCK, type Lock, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { ProfileSet } from "@onym/core/profiles";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { parseJsonDocument } from "../../../config/json/json-document.js";
import { propertiesOf } from "../../../config/json/read-value.js";
import { loadConfig } from "../../../config/load-config.js";
import { loadLock, lockFileOf, readLock } from "../../../configured/lock-file.js";
import { profileOf } from "../../../configured/profile-of.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import { OnymError } from "../../../model/onym-error.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { noteNotStatic } from "../../catalog/left-out.js";
import type { DefineCommand } from "../../command.js";
import { addJsonOption, addProfilesOption } from "../../options.js";
import { formatDiff, formatOtherChanges, otherChanges } from "./format-diff.js";

interface DiffOptions {
  readonly profile?: readonly string[];
  readonly lock?: boolean;
  readonly json?: boolean;
}

export const defineDiff: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("<a>", "a lock or a config: before")
    .argument("<b>", "a lock or a config: after")
    .option("--no-lock", "ignore onym.lock beside the configs");
  addProfilesOption(command, "only these profiles (default: all)");
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym diff old/onym.lock onym.lock\n  onym diff onym.json next.json --profile openai",
    )
    .action((a: string, b: string, options: DiffOptions) => run(() => printDiff(a, b, options, terminal)));
};

async function printDiff(a: string, b: string, options: DiffOptions, terminal: Terminal): Promise<ExitCode> {
  const texts = [a, b].map((file) => loadText(file, terminal));
  const locks = texts.map((text, index) => (isLock(text) ? readLock(text, [a, b][index] ?? "") : undefined));
  // A config is asked for what the lock on the other side knows, under the same aliases, so that the two compare.
  const known = locks.flatMap((lock) => (lock === undefined ? [] : [[...lock.profiles.keys()]]))[0];
  const lockOf = (file: string, lock: Lock | undefined) =>
    lock ?? lockOfConfig(file, { ...options, known }, terminal);
  const before = onlyProfiles(lockOf(a, locks[0]), options.profile);
  const after = onlyProfiles(lockOf(b, locks[1]), options.profile);
  const diff = diffLocks(before, after);
  if (options.json === true) await writeJson(terminal, diff);
  else
    await terminal.out(
      `${[
        ...formatDiff({ before, after, diff }, terminal),
        ...formatOtherChanges(otherChanges(before, after)),
      ].join("\n")}\n`,
    );
  return 0;
}

function loadText(file: string, terminal: Terminal): string {
  const read = readTextFile(resolve(terminal.cwd, file));
  if ("text" in read) return read.text;
  throw new OnymError(
    "unreadable-file",
    `${quoteText(file)} cannot be read: ${read.reason}.`,
    "Name two locks, or two configs.",
  );
}

function isLock(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  const parsed = parseJsonDocument(text, "", "");
  return parsed.ok && propertiesOf(parsed.document.root).some(({ key }) => key === "onymLock");
}

function lockOfConfig(
  file: string,
  options: DiffOptions & { readonly known: readonly string[] | undefined },
  terminal: Terminal,
): Lock {
  const config = loadConfig({ file, env: terminal.env, cwd: terminal.cwd });
  for (const id of options.profile ?? []) profileOf(id, config.profiles);
  const lock = options.lock === false ? undefined : loadLock(lockFileOf(config));
  noteNotStatic(config, terminal);
  const { today } = terminal;
  if (options.known === undefined) {
    const snapshot = snapshotOf(config, { lock, today });
    return snapshot.nextLock(options.profile ?? snapshot.profiles);
  }
  let next: Lock = lock ?? EMPTY_LOCK;
  for (const [as, ids] of profilesByAlias(options.known, config.profiles)) {
    const wanted = options.profile === undefined ? ids : ids.filter((id) => options.profile?.includes(id));
    next = snapshotOf(config, { lock: next, as, today }).nextLock(wanted);
  }
  return next;
}

/** Keys of a lock are `claude-code`, or `claude-code?as=acme` where clients know the gateway under another name. */
export function profilesByAlias(
  keys: readonly string[],
  profiles: ProfileSet,
): ReadonlyMap<string, readonly string[]> {
  const byAlias = new Map<string, string[]>();
  for (const key of keys) {
    const at = key.indexOf(MARK);
    const [id, as] = at < 0 ? [key, DEFAULT_ALIAS] : [key.slice(0, at), key.slice(at + MARK.length)];
    // A profile that this version does not know cannot be asked for.
    if (profiles.find(id) !== undefined) byAlias.set(as, [...(byAlias.get(as) ?? []), id]);
  }
  return byAlias;
}

const MARK = "?as=";

function onlyProfiles(lock: Lock, ids: readonly string[] | undefined): Lock {
  if (ids === undefined) return lock;
  return {
    ...lock,
    profiles: new Map(
      [...lock.profiles].filter(([id]) =>
        ids.some((wanted) => id === wanted || id.startsWith(wanted + MARK)),
      ),
    ),
  };
}
