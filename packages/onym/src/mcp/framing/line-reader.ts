// Bytes → lines, as stdio transports frame messages. Linear in the input, with limits.

import { isUtf8 } from "node:buffer";
import { createHeldBytes, KEPT_CAPACITY } from "./held-bytes.js";

export interface LineReader {
  /** Emits the complete lines. After a problem it reads no more: end the connection. */
  readonly push: (chunk: Uint8Array) => FrameProblem | undefined;
  /** The stream has ended: the rest is the last line. */
  readonly end: () => void;
}

/** A frame is larger than allowed. */
export interface FrameProblem {
  readonly kind: "too-large";
  readonly limit: number;
}

export interface LineReaderOptions {
  /** Maximum bytes of one line. */
  readonly frameBytes: number;
  /** A line without its end (LF or CRLF). Empty lines are skipped. */
  readonly onLine: (line: string) => void;
  /** A large line as its bytes, which are nobody else's; `onLine` gets it otherwise. */
  readonly onLargeLine?: (line: Buffer) => void;
  /** A line that is not UTF-8, with U+FFFD in place of invalid bytes: for display only. */
  readonly onBroken: (shown: string) => void;
  /** An empty line: nothing to read, but it still costs work. */
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
export function createLineReader(options: LineReaderOptions): LineReader {
  const { frameBytes, onLine, onLargeLine, onBroken, onEmpty } = options;
  const held = createHeldBytes(frameBytes);
  let problem: FrameProblem | undefined;

  /** `isOwn`: the bytes stay as they are. */
  const emit = (line: Buffer, isOwn: boolean): void => {
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (end === 0) {
      onEmpty?.();
      return;
    }
    const content = line.subarray(0, end);
    if (!isUtf8(content)) onBroken(content.toString("utf8"));
    else if (isOwn && onLargeLine !== undefined && content.length > KEPT_CAPACITY) onLargeLine(content);
    else onLine(content.toString("utf8"));
  };

  const refuse = (): FrameProblem => {
    problem = { kind: "too-large", limit: frameBytes };
    return problem;
  };

  /** Complete lines, each checked for size and encoding. */
  const readApart = (bytes: Buffer): void => {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      if (end - start > frameBytes) return void refuse();
      emit(bytes.subarray(start, end), false);
      start = end + 1;
    }
  };

  /** Complete lines within the limit, decoded together, which is much cheaper than decoding each. */
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
        emit(held.take(), true);
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
      if (problem === undefined && held.length > 0) emit(held.take(), true);
    },
  };
}
