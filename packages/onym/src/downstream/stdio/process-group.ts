// Ends a child and everything it started, step by step and within bounds; nothing is left when Onym itself exits.

import type { ChildProcess } from "node:child_process";
import { endWatchdog, unwatchGroup, watchGroup } from "./watchdog.js";

/**
 * How long it may take over each request to end. Clients that run Onym over stdio end it by force four seconds after
 * they leave: by then it has to have come to force itself, or what it started is left behind.
 */
const GRACE_MS = 1000;
/** How long the system may take to clear away what was ended by force. */
const CLEAR_MS = 2000;
const POLL_MS = 20;
const POSIX = process.platform !== "win32";

const living = new Set<ChildProcess>();

function killLiving(): void {
  for (const child of living) signalGroup(child, "SIGKILL");
}

/** Remembers a child until it and its group are gone. On POSIX it must lead its own group (`detached`). */
export function keepTrack(child: ChildProcess): void {
  if (living.size === 0) process.on("exit", killLiving);
  living.add(child);
  if (child.pid !== undefined) watchGroup(child.pid);
}

const ending = new WeakMap<ChildProcess, Promise<void>>();

/** Asks by the end of its input, then by SIGTERM, then ends it. Resolves when it is gone. */
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
