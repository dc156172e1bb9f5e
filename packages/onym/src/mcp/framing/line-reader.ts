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
  /** An empty line: nothing to read, and still work. */
  readonly onEmpty?: () => void;
}

const LF = 10;
const CR = 13;

/**
 * @example
 * const reader = createLineReader({ frameBytes: 1_000_000, onLine: console.log, onBroken: () => {} });
 * reader.push(Buffer.from('{"jsonrpc":"2.0",'));
 * reader.push(Buffer.from('"id":1}\n')); // logs the whole line
 */
export function createLineReader({ frameBytes, onLine, onBroken, onEmpty }: LineReaderOptions): LineReader {
  const held = createHeldBytes(frameBytes);
  let problem: FrameProblem | undefined;

  const emit = (line: Buffer): void => {
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end === 0) {
      onEmpty?.();
      return;
    }
    const content = line.subarray(0, end);
    if (isUtf8(content)) onLine(content.toString("utf8"));
    else onBroken(content.toString("utf8"));
  };

  const refuse = (): FrameProblem => {
    problem = { kind: "too-large", limit: frameBytes };
    return problem;
  };

  /** Lines that are whole, and may be too large or broken each for itself. */
  const readApart = (bytes: Buffer): void => {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      if (end - start > frameBytes) return void refuse();
      emit(bytes.subarray(start, end));
      start = end + 1;
    }
  };

  /** Lines that are whole and none of them too large: decoded together, which costs a fraction of decoding each. */
  const readTogether = (text: string): void => {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const stop = text.charCodeAt(end - 1) === CR ? end - 1 : end;
      if (stop > start) onLine(text.slice(start, stop));
      else onEmpty?.();
      start = end + 1;
    }
  };

  return {
    push: (chunk) => {
      if (problem !== undefined) return problem;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      if (held.length > 0) {
        const end = bytes.indexOf(LF);
        if (!held.add(end === -1 ? bytes : bytes.subarray(0, end))) return refuse();
        if (end === -1) return undefined;
        emit(held.take());
        start = end + 1;
      }
      const stop = bytes.lastIndexOf(LF) + 1;
      if (stop > start) {
        const lines = bytes.subarray(start, stop);
        if (lines.length > frameBytes || !isUtf8(lines)) readApart(lines);
        else readTogether(lines.toString("utf8"));
        start = stop;
      }
      if (problem === undefined && start < bytes.length && !held.add(bytes.subarray(start))) refuse();
      return problem;
    },
    end: () => {
      if (problem === undefined && held.length > 0) emit(held.take());
    },
  };
}
