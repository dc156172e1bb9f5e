// onym diff: what happened to names between two locks, or between two configs.

import { resolve } from "node:path";
import { diffLocks, type Lock, OnymError, quoteText } from "@onym/core";
import { parseJsonDocument } from "../config/json-document.js";
import { loadConfig } from "../config/load-config.js";
import { readTextFile } from "../config/read-text-file.js";
import { propertiesOf } from "../config/read-value.js";
import { formatDiff, otherChanges } from "./format-diff.js";
import { loadLock, lockFileOf, readLock } from "./lock-file.js";
import type { DefineCommand, ExitCode } from "./main.js";
import { noteNotStatic, snapshotOf } from "./open-snapshot.js";
import { addJsonOption, addProfilesOption } from "./options.js";
import { type Terminal, writeJson } from "./terminal.js";

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
  // A config is asked for the profiles that the lock on the other side knows, so that the two can be compared.
  const known = locks.flatMap((lock) => (lock === undefined ? [] : [[...lock.profiles.keys()]]))[0];
  const lockOf = (file: string, lock: Lock | undefined) =>
    lock ?? lockOfConfig(file, { ...options, known }, terminal);
  const before = onlyProfiles(lockOf(a, locks[0]), options.profile);
  const after = onlyProfiles(lockOf(b, locks[1]), options.profile);
  const diff = diffLocks(before, after);
  if (options.json === true) await writeJson(terminal, diff);
  else
    await terminal.out(
      `${[...formatDiff(diff, terminal.paint), ...otherChanges(before, after)].join("\n")}\n`,
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
  const lock = options.lock === false ? undefined : loadLock(lockFileOf(config));
  const snapshot = snapshotOf(config, { lock, today: terminal.today });
  noteNotStatic(config, terminal);
  const profiles = snapshot.profiles.filter(({ id }) => options.known?.includes(id) !== false);
  return snapshot.nextLock(options.profile ?? profiles);
}

function onlyProfiles(lock: Lock, ids: readonly string[] | undefined): Lock {
  if (ids === undefined) return lock;
  return {
    ...lock,
    profiles: new Map(
      [...lock.profiles].filter(([id]) =>
        ids.some((wanted) => id === wanted || id.startsWith(`${wanted}?as=`)),
      ),
    ),
  };
}
