// onym lock: records the names given out; with --check, says whether the record is still true (LOCK-1).

import { resolve } from "node:path";
import { type CatalogProblem, diffLocks, EMPTY_LOCK, formatLock, type Lock, type LockDiff } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { loadConfig } from "../../../config/load-config.js";
import { loadLockText, lockFileOf, readLock, writeLock } from "../../../configured/lock-file.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import { showPath } from "../../../model/show-path.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showProblems } from "../../../output/show-problems.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { pathFromHere } from "../../../output/wording.js";
import { noteLeft, sayWithoutTools } from "../../catalog/left-out.js";
import { type OpenedConfig, openLive } from "../../catalog/open-live.js";
import type { DefineCommand } from "../../command.js";
import { addAliasOption, addJsonOption, addLiveOption, addProfilesOption } from "../../options.js";
import { checkStoredNames } from "./check-stored-names.js";
import { profilesByAlias } from "./diff.js";
import { isAnyChange, otherChanges, reportOther } from "./format-diff.js";
import {
  coverageOf,
  type LockOptions,
  noteUnasked,
  reportCoverage,
  showLock,
  withoutUnasked,
} from "./format-lock.js";
import { hasSharedNames } from "./given-names.js";

export const defineLock: DefineCommand = (command, { terminal, run, version }) => {
  command
    .option("--check", "write nothing; exit 1 when the names are no longer those of the lock")
    .option("-f, --file <file>", "the lock (default: onym.lock beside the config)")
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
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
  const hasTools = snapshot.catalog.tools.length > 0;
  if (before === undefined && !hasTools) return printNothing({ file, opened, options }, terminal);
  // Profiles that are not in the lock yet are recorded with what servers list, not with nothing.
  const isRecordOnly = before !== undefined && options.profile === undefined;
  const after =
    isRecordOnly && (options.check === true || !hasTools)
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
  const coverage = coverageOf(opened);
  const unchanged = isLacking ? "incomplete" : coverage.kind === "none" ? "unasked" : "in-step";
  const endangered =
    options.check === true && before !== undefined ? endangeredNames(before, opened, terminal) : [];
  const status = isWritten ? "written" : isDrift ? "drift" : unchanged;
  if (options.json === true)
    await writeJson(terminal, {
      file: pathFromHere(file, terminal.cwd),
      status,
      ...diff,
      ...reportOther(other),
      ...(endangered.length === 0 ? {} : { endangered }),
      ...reportCoverage(coverage),
    });
  else {
    const shown = showPath(file, terminal.cwd);
    await showLock({ status, file: shown, config, diff, other, before, after, coverage, options }, terminal);
    showProblems(
      [...snapshot.problems.filter(({ severity }) => severity === "error"), ...endangered],
      terminal,
    );
    if (options.quiet !== true || isLacking) noteLeft(withoutUnasked(opened), terminal);
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
  for (const [as, ids] of profilesByAlias([...lock.profiles.keys()], config.profiles))
    next = snapshotOf(config, { lock: next, as, today }).nextLock(ids);
  return next;
}

const ENDANGERED = new Set(["locked-name-endangered", "locked-names-swapped"]);

/** Names that stay, but that nobody would assign today, under the profiles and aliases of the lock (RULE-7). */
function endangeredNames(
  lock: Lock,
  { config }: OpenedConfig,
  { today }: Terminal,
): readonly (CatalogProblem & { readonly profile: string })[] {
  return [...profilesByAlias([...lock.profiles.keys()], config.profiles)].flatMap(([as, ids]) => {
    const snapshot = snapshotOf(config, { lock, as, today });
    return ids.flatMap((profile) =>
      snapshot
        .namesFor(profile)
        .problems.filter(({ code }) => ENDANGERED.has(code))
        .map((problem) => ({ profile, ...problem })),
    );
  });
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
async function printNothing(
  {
    file,
    opened,
    options,
  }: { readonly file: string; readonly opened: OpenedConfig; readonly options: LockOptions },
  terminal: Terminal,
): Promise<ExitCode> {
  const isLacking = opened.left.some(({ severity }) => severity === "error");
  const coverage = coverageOf(opened);
  if (options.json === true) {
    const nothing = diffLocks(EMPTY_LOCK, EMPTY_LOCK);
    const status = isLacking ? "incomplete" : coverage.kind === "none" ? "unasked" : "in-step";
    const report = { file: pathFromHere(file, terminal.cwd), status, ...nothing };
    await writeJson(terminal, { ...report, ...reportCoverage(coverage) });
  } else if (options.quiet !== true || isLacking) {
    sayWithoutTools("Nothing to lock: no tools.", opened, terminal);
    noteUnasked(coverage, terminal);
    noteLeft(withoutUnasked(opened), terminal);
  }
  return isLacking ? 1 : 0;
}

/** What a comparison of two equal locks comes to, without comparing millions of names. */
function nothingChanged({ profiles }: Lock): LockDiff {
  let kept = 0;
  for (const { names } of profiles.values())
    for (const { retired } of names.values()) if (retired === undefined) kept++;
  return { added: [], kept, retired: [], moved: [], handedOn: [], redefined: [] };
}
