// Bytes → lines, as stdio transports frame messages. Linear in the input, and bounded.

import { isUtf8 } from "node:buffer";
import { createHeldBytes } from "./held-bytes.js";

export interface LineReader {
  /** Hands on the lines that are complete. After a problem nothing more is read: end the connection. */
  readonly push: (chunk: Uint8Array) => FrameProblem | undefined;
  /** The stream is over: what is left is the last line. */
  readonly end: () => void;
}

/** A frame is larger than allowed. */
export interface FrameProblem {
  readonly kind: "too-large";
  readonly limit: number;
}

export interface LineReaderOptions {
  /** The most bytes of one line. */
  readonly frameBytes: number;
  /** A line without its end (LF or CRLF). Empty lines are left out. */
  readonly onLine: (line: string) => void;
  /** A line that is not UTF-8, with U+FFFD where it is broken: to be shown, never to be read. */
  readonly onBroken: (shown: string) => void;
}

const LF = 10;
const CR = 13;

/**
 * @example
 * const reader = createLineReader({ frameBytes: 1_000_000, onLine: console.log, onBroken: () => {} });
 * reader.push(Buffer.from('{"jsonrpc":"2.0",'));
 * reader.push(Buffer.from('"id":1}\n')); // logs the whole line
 */
export function createLineReader({ frameBytes, onLine, onBroken }: LineReaderOptions): LineReader {
  const held = createHeldBytes(frameBytes);
  let problem: FrameProblem | undefined;

  const emit = (line: Buffer): void => {
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end === 0) return;
    const content = line.subarray(0, end);
    if (isUtf8(content)) onLine(content.toString("utf8"));
    else onBroken(content.toString("utf8"));
  };

  return {
    push: (chunk) => {
      if (problem !== undefined) return problem;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
        const piece = bytes.subarray(start, end);
        if (piece.length > frameBytes || (held.length > 0 && !held.add(piece))) {
          problem = { kind: "too-large", limit: frameBytes };
          return problem;
        }
        emit(held.length > 0 ? held.take() : piece);
        start = end + 1;
      }
      if (start < bytes.length && !held.add(bytes.subarray(start)))
        problem = { kind: "too-large", limit: frameBytes };
      return problem;
    },
    end: () => {
      if (problem === undefined && held.length > 0) emit(held.take());
    },
  };
}
