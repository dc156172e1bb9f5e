// Ends a child and everything it started, step by step and within time limits. Nothing is left when Onym
// exits.

import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/**
 * How long each step may take. Clients that run Onym over stdio kill it four seconds after they disconnect:
 * by then Onym must have killed its children, or they are left behind.
 */
const GRACE_MS = 1000;
/** How long the system may take to clean up killed processes. */
const CLEAR_MS = 2000;
const POLL_MS = 20;
const POSIX = process.platform !== "win32";

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
  return hasExited(child) && (!POSIX || !signalGroup(child, 0));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(POSIX ? -child.pid : child.pid, signal);
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
