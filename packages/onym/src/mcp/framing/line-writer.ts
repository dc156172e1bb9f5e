// Lines → a stream: those of one turn of the event loop leave in one piece. Each write wakes its reader, and to wake it once
// for many messages costs a fraction of waking it for each.

import type { Writable } from "node:stream";

export interface LineWriter {
  /** Text that is not out yet: here, and in the stream. */
  readonly length: number;
  /** Writes one line, with the others of this turn. */
  readonly write: (line: string) => void;
  /** Writes one line that is bytes already, as they are. */
  readonly writeBytes: (pieces: readonly Buffer[]) => void;
  /** Hands on now what waits for the end of the turn. */
  readonly flush: () => void;
}

export interface LineWriterOptions {
  /** The stream asks to wait for `drain`. */
  readonly onFull?: () => void;
  /** What becomes of the text of whole lines on its way out. */
  readonly format?: (lines: string) => string;
}

/** More than this is a piece of its own. */
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
  /** Not what `write` answers: it counts what is out already. */
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
