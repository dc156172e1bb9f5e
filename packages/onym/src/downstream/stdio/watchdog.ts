// A small process beside Onym that outlives it for a moment: when Onym is killed, it kills what Onym started (SAFE-5).

import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/**
 * Reads `+ PID` and `- PID`. The system closes its input when Onym ends, however that happens; the process groups that are
 * left then are killed. A shell, because it is there on every POSIX system, starts in a millisecond and takes 1 MB.
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

/** The process leads a group of its own. Nothing is done where there are no groups, or no shell. */
export function watchGroup(pid: number): void {
  if (process.platform === "win32") return;
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`+ ${pid}\n`);
}

/** The group is gone, and its number may be another's by now. */
export function unwatchGroup(pid: number): void {
  watchdog?.stdin?.write(`- ${pid}\n`);
}

/** Nothing is left to be watched. */
export function endWatchdog(): void {
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function startWatchdog(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    // In a group and session of its own: whatever ends Onym's does not reach it.
    detached: true,
  });
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
