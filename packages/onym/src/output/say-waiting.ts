// At a terminal, a command that waits says for whom, so that a slow server is not taken for a program that hangs.

import { type Clock, formatDuration, systemClock } from "../model/clock.js";
import type { Terminal } from "./terminal.js";

/** Most servers have answered by then. */
const FIRST_MS = 2_000;
const AGAIN_MS = 10_000;

export interface Waiting {
  /** Who has not answered yet, for people. */
  readonly left: () => readonly string[];
  /** After how long nobody is waited for any more. */
  readonly mostMs: number;
  readonly clock?: Clock;
}

/** Says nothing in a pipe. Ends when the function that it returns is called. */
export function sayWaiting(
  { left, mostMs, clock = systemClock }: Waiting,
  { isTTY, err, paintErr }: Pick<Terminal, "isTTY" | "err" | "paintErr">,
): () => void {
  if (!isTTY) return () => {};
  const began = clock.now();
  let cancel = clock.after(FIRST_MS, say);
  function say(): void {
    const names = left();
    const seconds = formatDuration(Math.round((clock.now() - began) / 1_000) * 1_000);
    const most = paintErr("dim", `${seconds} of at most ${formatDuration(mostMs)}`);
    if (names.length > 0) err(`  ${paintErr("yellow", "waiting")}  ${names.join(", ")}  ${most}\n`);
    cancel = clock.after(AGAIN_MS, say);
  }
  return () => cancel();
}
