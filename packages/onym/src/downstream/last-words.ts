// The last lines a process wrote to stderr, and the one that says most about why it failed.

import { createLineReader, type LineReader } from "../rpc/line-reader.js";

export interface LastWords {
  readonly push: (chunk: Uint8Array) => void;
  /** The line that reads like a reason, else the last one; `undefined` where it wrote none. */
  readonly telling: () => string | undefined;
}

const KEPT_LINES = 30;
const LINE_BYTES = 16_384;
const REASON =
  /(?:error|exception)\b|\b(?:fatal|denied|not found|cannot|can't|failed|missing|required|invalid|refused|unauthorized)/i;

export function createLastWords(onLine: (line: string) => void): LastWords {
  const lines: string[] = [];
  const keep = (line: string): void => {
    if (line.trim() === "") return;
    lines.push(line.slice(0, 1000));
    if (lines.length > KEPT_LINES) lines.shift();
    onLine(line.slice(0, 1000));
  };
  const open = (): LineReader => createLineReader({ frameBytes: LINE_BYTES, onLine: keep, onBroken: keep });
  let reader = open();
  return {
    push: (chunk) => {
      // A line without end says nothing; what comes after it may.
      if (reader.push(chunk) !== undefined) reader = open();
    },
    telling: () => {
      reader.end();
      return lines.find((line) => REASON.test(line)) ?? lines.at(-1);
    },
  };
}
