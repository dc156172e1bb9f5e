// What a process writes to stderr: log lines, limited in number, and the line that best explains a failure.

import { createLineReader, type LineReader } from "../../mcp/framing/frames.js";
import type { Clock } from "../../model/clock.js";
import { SLICE_BYTES } from "../protocol/pace.js";

export interface StderrTail {
  readonly push: (chunk: Uint8Array) => void;
  /** The line that looks like a reason, else the last one; `undefined` without output. */
  readonly likelyReason: () => string | undefined;
  /** The process is gone: says what was dropped, and leaves no timer behind, which would keep Onym from ending. */
  readonly close: () => void;
}

export interface StderrTailOptions {
  readonly clock: Clock;
  readonly onLine: (line: string) => void;
  /** The number of bytes dropped since the last call. */
  readonly onDropped: (bytes: number) => void;
  /** Slows down reading while output is dropped. */
  readonly pause: () => void;
  readonly resume: () => void;
}

const KEPT_LINES = 30;
const LINE_BYTES = 16_384;
/** Bytes for the log: per second, and the burst after a quiet period. */
const LOGGED_RATE = 64 * 1024;
export const LOGGED_BURST = 256 * 1024;
/** The cost of a line beside its bytes. */
const LINE_COST = 100;
/** Pause after a dropped chunk. */
const DROP_PAUSE_MS = 5;
/** The interval between two log lines about dropped output. */
const LOG_INTERVAL_MS = 10_000;
const REASON =
  /(?:error|exception)\b|\b(?:fatal|denied|not found|cannot|can't|failed|missing|required|invalid|refused|unauthorized)/i;

export function createStderrTail({ clock, onLine, onDropped, pause, resume }: StderrTailOptions): StderrTail {
  const lines: string[] = [];
  let allowed = LOGGED_BURST;
  let updatedAt = clock.now();
  let dropped = 0;
  let stopReport: (() => void) | undefined;
  let stopPause = (): void => {};
  /** The end of the dropped output: a process usually fails with its reason in the last line. */
  let lastDropped: Uint8Array | undefined;

  const keep = (line: string): void => {
    allowed -= LINE_COST;
    if (line.trim() === "") return;
    lines.push(line.slice(0, 1000));
    if (lines.length > KEPT_LINES) lines.shift();
    onLine(line.slice(0, 1000));
  };
  const open = (): LineReader => createLineReader({ frameBytes: LINE_BYTES, onLine: keep, onBroken: keep });
  let reader = open();

  const reportDropped = (): void => {
    stopReport?.();
    stopReport = undefined;
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  };
  const drop = (bytes: Uint8Array): void => {
    dropped += bytes.length;
    lastDropped = bytes.subarray(-SLICE_BYTES);
    pause();
    stopPause();
    stopPause = clock.after(DROP_PAUSE_MS, resume);
    stopReport ??= clock.after(LOG_INTERVAL_MS, reportDropped);
  };
  const take = (bytes: Uint8Array): void => {
    allowed -= bytes.length;
    // Text after a gap does not continue the line before it.
    if (lastDropped !== undefined) reader = open();
    lastDropped = undefined;
    // Skip an endless line; the output after it may help.
    if (reader.push(bytes) !== undefined) reader = open();
  };

  return {
    push: (chunk) => {
      const now = clock.now();
      allowed = Math.min(LOGGED_BURST, allowed + (Math.max(0, now - updatedAt) * LOGGED_RATE) / 1000);
      updatedAt = now;
      for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
        if (allowed <= 0) return drop(chunk.subarray(start));
        take(chunk.subarray(start, start + SLICE_BYTES));
      }
    },
    likelyReason: () => {
      if (lastDropped !== undefined) take(lastDropped);
      reader.end();
      reportDropped();
      return lines.find((line) => REASON.test(line)) ?? lines.at(-1);
    },
    close: () => {
      stopPause();
      reportDropped();
    },
  };
}
