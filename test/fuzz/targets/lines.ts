// Lines of stdio: however the bytes arrive, the lines are those of the whole text.

import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { createLineReader } from "../../../packages/onym/src/mcp/framing/frames.js";
import type { FuzzTarget } from "../fuzz-target.js";
import { cut } from "./cut.js";

/** Of a line that is not UTF-8, only the beginning is told. */
const BROKEN_BYTES = 4_096;

interface Line {
  readonly kind: "line" | "broken";
  readonly text: string;
}

export const lines: FuzzTarget = {
  name: "lines",
  tokens: ["\n", "\r\n", "\r", "\n\n", "é", "\ufeff", "\u2028", "{}", "\0"],
  read: (input) => {
    readLines([input], Number.POSITIVE_INFINITY);
  },
  check: (input, chance) => {
    const frameBytes = chance.below(3) === 0 ? 1 + chance.below(64) : 1_000_000;
    assert.deepEqual(readLines(cut(input, chance), frameBytes), splitLines(input, frameBytes));
  },
};

function readLines(pieces: readonly Buffer[], frameBytes: number): readonly (Line | "too-large")[] {
  const found: (Line | "too-large")[] = [];
  const reader = createLineReader({
    frameBytes,
    onLine: (text) => found.push({ kind: "line", text }),
    onBroken: (text) => found.push({ kind: "broken", text }),
  });
  for (const piece of pieces) if (reader.push(piece) !== undefined) return [...found, "too-large"];
  reader.end();
  return found;
}

function splitLines(input: Buffer, frameBytes: number): readonly (Line | "too-large")[] {
  const found: (Line | "too-large")[] = [];
  for (const each of input.toString("latin1").split("\n")) {
    if (each.length > frameBytes) return [...found, "too-large"];
    const bytes = Buffer.from(each.replace(/\r$/, ""), "latin1");
    if (bytes.length === 0) continue;
    if (isUtf8(bytes)) found.push({ kind: "line", text: bytes.toString() });
    else found.push({ kind: "broken", text: bytes.toString("utf8", 0, BROKEN_BYTES) });
  }
  return found;
}
