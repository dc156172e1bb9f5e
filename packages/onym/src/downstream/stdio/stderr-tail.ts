// What a process writes to stderr: lines for the log, bounded in number, and the one that says most about why it failed.

import { createLineReader, type LineReader } from "../../mcp/framing/line-reader.js";
import type { Clock } from "../../model/clock.js";
import { SLICE_BYTES } from "../protocol/pace.js";

export interface StderrTail {
  readonly push: (chunk: Uint8Array) => void;
  /** The line that reads like a reason, else the last one; `undefined` where it wrote none. */
  readonly telling: () => string | undefined;
}

export interface StderrTailOptions {
  readonly clock: Clock;
  readonly onLine: (line: string) => void;
  /** So many bytes were left out since it was last told. */
  readonly onDropped: (bytes: number) => void;
  /** What is dropped is not to be read at full speed. */
  readonly pause: () => void;
  readonly resume: () => void;
}

const KEPT_LINES = 30;
const LINE_BYTES = 16_384;
/** Bytes for the log: so many in a second, and so many at once after a quiet while. */
const LOGGED_RATE = 64 * 1024;
export const LOGGED_BURST = 256 * 1024;
/** What a line costs beside its bytes. */
const LINE_COST = 100;
/** Between two chunks that are dropped: about 13 MB a second. */
const DROP_PAUSE_MS = 5;
/** Between two lines of the log about what was dropped. */
const TELL_MS = 10_000;
const REASON =
  /(?:error|exception)\b|\b(?:fatal|denied|not found|cannot|can't|failed|missing|required|invalid|refused|unauthorized)/i;

export function createStderrTail({ clock, onLine, onDropped, pause, resume }: StderrTailOptions): StderrTail {
  const lines: string[] = [];
  let allowed = LOGGED_BURST;
  let reckonedAt = clock.now();
  let dropped = 0;
  let isTelling = false;
  /** The end of what was dropped: a process says last why it fails. */
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

  const tellDropped = (): void => {
    isTelling = false;
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  };
  const drop = (bytes: Uint8Array): void => {
    dropped += bytes.length;
    lastDropped = bytes.subarray(-SLICE_BYTES);
    pause();
    clock.after(DROP_PAUSE_MS, resume);
    if (isTelling) return;
    isTelling = true;
    clock.after(TELL_MS, tellDropped);
  };
  const take = (bytes: Uint8Array): void => {
    allowed -= bytes.length;
    // What follows a gap is no part of the line before it.
    if (lastDropped !== undefined) reader = open();
    lastDropped = undefined;
    // A line without end says nothing; what comes after it may.
    if (reader.push(bytes) !== undefined) reader = open();
  };

  return {
    push: (chunk) => {
      const now = clock.now();
      allowed = Math.min(LOGGED_BURST, allowed + (Math.max(0, now - reckonedAt) * LOGGED_RATE) / 1000);
      reckonedAt = now;
      for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
        if (allowed <= 0) return drop(chunk.subarray(start));
        take(chunk.subarray(start, start + SLICE_BYTES));
      }
    },
    telling: () => {
      if (lastDropped !== undefined) take(lastDropped);
      reader.end();
      tellDropped();
      return lines.find((line) => REASON.test(line)) ?? lines.at(-1);
    },
  };
}
