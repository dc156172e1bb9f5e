// Lines → a stream. Lines of one event loop turn leave in one write: each write wakes its reader, and one
// wake-up for many messages is far cheaper than one for each.

import type { Writable } from "node:stream";

export interface LineWriter {
  /** Unsent text: here, and in the stream. */
  readonly length: number;
  /** Writes one line, together with the others of this turn. */
  readonly write: (line: string) => void;
  /** Writes one line of bytes unchanged. */
  readonly writeBytes: (pieces: readonly Buffer[]) => void;
  /** Writes now what waits for the end of the turn. */
  readonly flush: () => void;
}

export interface LineWriterOptions {
  /** The stream is full: wait for `drain`. */
  readonly onFull?: () => void;
  /** Transforms complete lines before they are written. */
  readonly format?: (lines: string) => string;
}

/** Larger text is written separately. */
const PIECE = 65_536;
const LINE_END = Buffer.from("\n");

/**
 * @example
 * const writer = createLineWriter(child.stdin);
 * writer.write('{"jsonrpc":"2.0","id":1,"method":"ping"}');
 */
export function createLineWriter(stream: Writable, options: LineWriterOptions = {}): LineWriter {
  const { onFull, format = (lines) => lines } = options;
  let waiting = "";
  const flush = (): void => {
    if (waiting === "") return;
    const lines = waiting;
    waiting = "";
    stream.write(format(lines));
    checkFull();
  };
  /** Does not use the result of `write`, which also counts bytes that are already out. */
  const checkFull = (): void => {
    if (stream.writableLength >= stream.writableHighWaterMark) onFull?.();
  };
  return {
    get length() {
      return stream.writableLength + waiting.length;
    },
    write(line) {
      if (waiting.length + line.length > PIECE) flush();
      if (waiting === "") process.nextTick(flush);
      waiting += `${line}\n`;
    },
    writeBytes(pieces) {
      flush();
      stream.cork();
      for (const piece of pieces) stream.write(piece);
      stream.write(LINE_END);
      stream.uncork();
      checkFull();
    },
    flush,
  };
}
