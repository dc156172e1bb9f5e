// onym lock: records the names given out; with --check, says whether the record is still true (LOCK-1).

import { resolve } from "node:path";
import { diffLocks, EMPTY_LOCK, formatLock, type Lock, type LockDiff } from "@onym/core";
import type { Config } from "../config/config.js";
import { loadConfig } from "../config/load-config.js";
import { checkStoredNames } from "./check-stored-names.js";
import { countNoun } from "./count-noun.js";
import { profilesByAlias } from "./diff.js";
import {
  formatDiff,
  formatOtherChanges,
  type OtherChange,
  otherChanges,
  reportOther,
} from "./format-diff.js";
import { hasSharedNames } from "./given-names.js";
import { loadLockText, lockFileOf, readLock, showFile, writeLock } from "./lock-file.js";
import type { DefineCommand, ExitCode } from "./main.js";
import { type LiveOptions, type OpenedConfig, openLive } from "./open-live.js";
import { noteLeft, sayWithoutTools, snapshotOf } from "./open-snapshot.js";
import { addAliasOption, addJsonOption, addLiveOption, addProfilesOption } from "./options.js";
import { shellWord } from "./shell-word.js";
import { pathFromHere } from "./show-path.js";
import { showProblems } from "./show-problems.js";
import { type Terminal, writeJson } from "./terminal.js";

interface LockOptions extends LiveOptions {
  readonly file?: string;
  readonly check?: boolean;
  readonly profile?: readonly string[];
  readonly as?: string;
  readonly json?: boolean;
}

export const defineLock: DefineCommand = (command, { terminal, run, version }) => {
  command
    .option("--check", "write nothing; exit 1 when the names are no longer those of the lock")
    .option("-f, --file <file>", "the lock (default: onym.lock beside the config)")
    .option("-c, --config <file>", "the config to read (default: onym.json, else a client's file here)")
    .option("-q, --quiet", "print nothing when there is nothing to say");
  addProfilesOption(command, "only these profiles (default: all, with --check those of the lock)");
  addAliasOption(addLiveOption(command));
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym lock\n  onym lock --check --quiet\n  onym lock --profile openai claude-code\n  onym lock --live",
    )
    .action((options: Omit<LockOptions, "version">) =>
      run(() => printLock({ ...options, version }, terminal)),
    );
};

async function printLock(options: LockOptions, terminal: Terminal): Promise<ExitCode> {
  const shared = await printSharedNames(options, terminal);
  if (shared !== undefined) return shared;
  const opened = await openLive(
    { ...options, until: options.check === true ? "gateway" : "servers" },
    terminal,
  );
  const { left } = opened;
  const config = withoutRecorded(opened);
  const isLacking = left.some(({ severity }) => severity === "error");
  const file = options.file === undefined ? lockFileOf(config) : resolve(terminal.cwd, options.file);
  const text = loadLockText(file);
  const before = text === undefined ? undefined : readLock(text, file);
  const snapshot = snapshotOf(config, { lock: before, as: options.as, today: terminal.today });
  if (before === undefined && snapshot.catalog.tools.length === 0)
    return tellNothing({ file, opened, options }, terminal);
  const after =
    options.check === true && options.profile === undefined && before !== undefined
      ? nextRecorded(before, config, terminal)
      : snapshot.nextLock(options.profile ?? snapshot.profiles);
  const formatted = formatLock(after);
  // A lock that git checked out with other line ends, or that somebody indented, is still true.
  const isEqual = before !== undefined && (text === formatted || formatLock(before) === formatted);
  const isWritten = options.check !== true && text !== formatted;
  if (isWritten) writeLock(file, formatted);

  const diff = isEqual ? nothingChanged(after) : diffLocks(before ?? EMPTY_LOCK, after);
  const other = isEqual || before === undefined ? [] : otherChanges(before, after);
  const isDrift = options.check === true && (before === undefined || isAnyChange(diff, other));
  const status = isWritten ? "written" : isDrift ? "drift" : "in-step";
  if (options.json === true)
    await writeJson(terminal, {
      file: pathFromHere(file, terminal.cwd),
      status,
      ...diff,
      ...reportOther(other),
    });
  else {
    await tell({ status, file: showFile(file, terminal.cwd), diff, other, before, after, options }, terminal);
    showProblems(
      snapshot.problems.filter(({ severity }) => severity === "error"),
      terminal,
    );
    if (options.quiet !== true || isLacking) noteLeft(opened, terminal);
  }
  return status === "drift" || isLacking ? 1 : 0;
}

/** What is on record is in the lock already, with the digests of definitions, which are not known here. */
function withoutRecorded({ config, recorded }: OpenedConfig): Config {
  const servers = config.servers.map((server) =>
    recorded.has(server) ? { ...server, source: { ...server.source, tools: [] } } : server,
  );
  return { ...config, servers };
}

/** The names of the profiles that the lock records, under the aliases it records: others cannot be out of step (LOCK-6). */
function nextRecorded(lock: Lock, config: Config, { today }: Terminal): Lock {
  let next = lock;
  for (const [as, ids] of profilesByAlias([...lock.profiles.keys()]))
    next = snapshotOf(config, { lock: next, as, today }).nextLock(ids);
  return next;
}

/** What fails a check is what is listed, and nothing else (LOCK-6). */
function isAnyChange({ added, retired, moved, redefined }: LockDiff, other: readonly OtherChange[]): boolean {
  return [added, retired, moved, redefined, other].some(({ length }) => length > 0);
}

/** With a database the gateways give names out there: `onym lock` copies them, and compares. */
async function printSharedNames(options: LockOptions, terminal: Terminal): Promise<ExitCode | undefined> {
  const config = loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  if (!hasSharedNames(config)) return undefined;
  const { file, ...others } = options;
  return checkStoredNames(
    config,
    { ...others, file: file === undefined ? lockFileOf(config) : resolve(terminal.cwd, file) },
    terminal,
  );
}

/** Without a tool and without a lock there is nothing to record and nothing to be out of step with. */
async function tellNothing(
  {
    file,
    opened,
    options,
  }: { readonly file: string; readonly opened: OpenedConfig; readonly options: LockOptions },
  terminal: Terminal,
): Promise<ExitCode> {
  const isLacking = opened.left.some(({ severity }) => severity === "error");
  if (options.json === true) {
    const nothing = diffLocks(EMPTY_LOCK, EMPTY_LOCK);
    await writeJson(terminal, { file: pathFromHere(file, terminal.cwd), status: "in-step", ...nothing });
  } else if (options.quiet !== true || isLacking) {
    sayWithoutTools("Nothing to lock: no tools.", opened, terminal);
    noteLeft(opened, terminal);
  }
  return isLacking ? 1 : 0;
}

interface Told {
  readonly status: "written" | "in-step" | "drift";
  readonly file: string;
  readonly diff: LockDiff;
  readonly other: readonly OtherChange[];
  readonly before: Lock | undefined;
  readonly after: Lock;
  readonly options: LockOptions;
}

async function tell(
  { status, file, diff, other, before, after, options }: Told,
  terminal: Terminal,
): Promise<void> {
  const { paint, out } = terminal;
  if (status === "in-step") {
    if (options.quiet !== true)
      await out(`${paint("green", "✓")} ${file} is in step: ${countNoun(diff.kept, "name")} kept.\n`);
    return;
  }
  if (status === "written" && options.quiet === true) return;
  if (status === "written" && before === undefined) {
    const told = [countNoun(diff.added.length, "name"), countNoun(countTools(after), "tool")].join(" of ");
    const profiles = countNoun(after.profiles.size, "profile");
    await out(`${paint("green", "✓")} ${file} written: ${told} in ${profiles}.\n`);
    return;
  }
  const head =
    status === "written"
      ? `${paint("green", "✓")} ${file} written.`
      : before === undefined
        ? `${paint("red", "✗")} ${file} does not exist yet.`
        : `${paint("red", "✗")} ${file} is out of step.`;
  const lines = [
    head,
    ...formatDiff({ before: before ?? EMPTY_LOCK, after, diff }, terminal),
    ...formatOtherChanges(other),
  ];
  await out(`${lines.join("\n")}\n`);
  if (status === "drift") terminal.err(`Run ${sameCommand(options)} to record the names as they are now.\n`);
}

/** What a comparison of two equal locks comes to, without comparing millions of names. */
function nothingChanged({ profiles }: Lock): LockDiff {
  let kept = 0;
  for (const { names } of profiles.values())
    for (const { retired } of names.values()) if (retired === undefined) kept++;
  return { added: [], kept, retired: [], moved: [], redefined: [] };
}

/** By identity: a tool may have a name in each profile. */
function countTools({ profiles }: Lock): number {
  const keys = new Set<string>();
  for (const { names } of profiles.values())
    for (const { key, retired } of names.values()) if (retired === undefined) keys.add(key);
  return keys.size;
}

/** The command that was given, without --check. */
function sameCommand({ config, file, profile, as, live, static: isStatic }: LockOptions): string {
  const flags = [
    ["--config", config],
    ["--file", file],
    ["--profile", profile?.join(",")],
    ["--as", as],
  ].flatMap(([flag = "", value]) => (value === undefined ? [] : [flag, shellWord(value)]));
  return [
    "onym lock",
    ...(live === true ? ["--live"] : []),
    ...(isStatic === true ? ["--static"] : []),
    ...flags,
  ].join(" ");
}
