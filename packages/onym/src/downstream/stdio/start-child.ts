// Starts a server's process: without a shell, in its own folder, behind its isolation command (SAFE-7), and in
// a group that ends as a whole.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Launch } from "../../model/launch.js";
import { bubblewrapWords, findBubblewrap, isForLoader } from "./bubblewrap.js";

export type StdioLaunch = Extract<Launch, { readonly kind: "stdio" }>;

/** Errors such as a NUL in an argument are thrown at once; a missing command is reported later. */
export function startChild(launch: StdioLaunch): ChildProcessWithoutNullStreams | Error {
  try {
    const { command, args, cwd, env } = commandOf(launch);
    const child: ChildProcess = spawn(command, [...args], {
      cwd,
      env: buildSafeEnvironment(process.env, env, process.platform),
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
      // Its own group, so that what it starts (npx → node) can be ended with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    if (hasPipes(child)) return child;
    // Without file descriptors for its pipes it was not started; a later error event reports the same.
    child.on("error", () => {});
    return new Error("it could not be given pipes: too many files are open");
  } catch (error) {
    return error instanceof Error ? error : new Error("it could not be started");
  }
}

/** The command, prefixed with its isolation. Creates the server's own folder if it is missing. */
function commandOf(launch: StdioLaunch): {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
} {
  const { command, args, env, isolation } = launch;
  const cwd = launch.ownFolder === undefined ? launch.cwd : prepareFolder(launch.ownFolder);
  if (isolation === undefined) return { command, args, cwd, env };
  if (isolation.kind === "prefix") {
    const [first = "", ...words] = isolation.words;
    return { command: first, args: [...words, command, ...args], cwd, env };
  }
  const home = prepareFolder(isolation.home);
  for (const folder of isolation.folders) makeMissing(folder);
  const words = bubblewrapWords(launch, { ...isolation, home, cwd });
  return {
    command: findBubblewrap(process.env["PATH"]),
    args: [...words, command, ...args],
    cwd: home,
    env: new Map([...env].filter(([name]) => !isForLoader(name))),
  };
}

/** Accessible only to this user. If the usual place is not writable, uses one for temporary files. */
function prepareFolder(folder: string): string {
  if (makePrivate(folder)) return folder;
  const shared = join(tmpdir(), `onym-${process.getuid?.() ?? "user"}`, "servers");
  const other = join(shared, basename(folder));
  if (makePrivate(shared) && makePrivate(other)) return other;
  throw new Error(`its folder ${folder} cannot be made for this user alone; set XDG_STATE_HOME or "cwd"`);
}

/** So that it can be covered: a running server would see one that is made later. */
function makeMissing(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The folder that it would be in is covered instead.
  }
}

function makePrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (!found.isDirectory()) return false;
    // On Windows a user profile is closed to others, and modes mean nothing.
    if (process.getuid === undefined) return true;
    if (found.uid !== process.getuid()) return false;
    if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  // Without free file descriptors they are undefined, against their types.
  return [child.stdin, child.stdout, child.stderr].every((pipe) => pipe !== null && pipe !== undefined);
}

// What a child process gets of Onym's own environment: enough to run, nothing that holds secrets.

const POSIX = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "TZ"],
  ...["ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME"].map((kind) => `LC_${kind}`),
  ...["ADDRESS", "IDENTIFICATION", "MEASUREMENT", "NAME", "PAPER", "TELEPHONE"].map((kind) => `LC_${kind}`),
];
const WINDOWS = [
  "PATH",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMFILES",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "TEMP",
  "USERPROFILE",
  "USERNAME",
  "COMPUTERNAME",
  "HOMEDRIVE",
  "HOMEPATH",
  "PROCESSOR_ARCHITECTURE",
];

/** The safe part of `own`, overridden by what the config declares. */
export function buildSafeEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  declared: ReadonlyMap<string, string>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const windows = platform === "win32";
  const safe = new Set(windows ? WINDOWS : POSIX);
  const kept = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    const known = safe.has(windows ? name.toUpperCase() : name);
    // A value that starts with `()` is a shell function.
    if (known && value !== undefined && !value.startsWith("()")) kept.set(name, value);
  }
  return Object.fromEntries([...kept, ...declared]);
}

// Ends a child and everything it started, step by step and within time limits. Nothing is left when Onym
// exits.

/**
 * How long each step may take. Clients that run Onym over stdio kill it four seconds after they disconnect:
 * by then Onym must have killed its children, or they are left behind.
 */
const GRACE_MS = 1000;
/** How long the system may take to clean up killed processes. */
const CLEAR_MS = 2000;
const POLL_MS = 20;
const IS_POSIX = process.platform !== "win32";

const living = new Set<ChildProcess>();

function killLiving(): void {
  for (const child of living) signalGroup(child, "SIGKILL");
}

/** Tracks a child until it and its group are gone. On POSIX it must lead its own group (`detached`). */
export function keepTrack(child: ChildProcess): void {
  if (living.size === 0) process.on("exit", killLiving);
  living.add(child);
  if (child.pid !== undefined) watchGroup(child.pid);
}

const ending = new WeakMap<ChildProcess, Promise<void>>();

/** Closes its stdin, then sends SIGTERM, then kills it. Resolves when it is gone. */
export function endProcessGroup(child: ChildProcess): Promise<void> {
  const end = ending.get(child) ?? endStepwise(child);
  ending.set(child, end);
  return end;
}

async function endStepwise(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) {
    child.stdin?.end();
    await waitUntil(() => hasExited(child), GRACE_MS);
    if (!isGone(child)) {
      signalGroup(child, "SIGTERM");
      await waitUntil(() => isGone(child), GRACE_MS);
    }
    if (!isGone(child)) {
      signalGroup(child, "SIGKILL");
      await waitUntil(() => isGone(child), CLEAR_MS);
    }
  }
  living.delete(child);
  if (child.pid !== undefined) unwatchGroup(child.pid);
  if (living.size > 0) return;
  process.off("exit", killLiving);
  endWatchdog();
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function isGone(child: ChildProcess): boolean {
  return hasExited(child) && (!IS_POSIX || !signalGroup(child, 0));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(IS_POSIX ? -child.pid : child.pid, signal);
  } catch {
    return false;
  }
}

async function waitUntil(done: () => boolean, longestMs: number): Promise<void> {
  for (let waited = 0; waited < longestMs && !done(); waited += POLL_MS)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

// A small watchdog process that briefly outlives Onym: when Onym is killed, it kills what Onym started
// (SAFE-5).

/**
 * Reads `+ PID` and `- PID`. The system closes its stdin when Onym ends, for whatever reason; it then kills
 * the remaining process groups. It is a shell, because every POSIX system has one, it starts in a millisecond
 * and takes 1 MB.
 */
const SCRIPT = `
trap '' HUP INT TERM
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -s KILL -- "-$pid"; done
`;

let watchdog: ChildProcess | undefined;

/** The process must lead its own group. Does nothing without process groups or a shell. */
function watchGroup(pid: number): void {
  if (process.platform === "win32") return;
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`+ ${pid}\n`);
}

/** The group is gone, and its id may be reused by now. */
function unwatchGroup(pid: number): void {
  watchdog?.stdin?.write(`- ${pid}\n`);
}

/** No group is left to watch. */
function endWatchdog(): void {
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function startWatchdog(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    // In its own group and session, so that whatever ends Onym's group does not reach it.
    detached: true,
  });
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
