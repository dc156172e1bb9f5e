// Frames of messages in bytes: lines in both directions, as stdio transports have them, and whole bodies, as HTTP has them.
// Linear in the input, with limits.

import { isUtf8 } from "node:buffer";
import type { Writable } from "node:stream";

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
  /** The start of a line that is not UTF-8, with U+FFFD in place of invalid bytes: for display only; and all its bytes. */
  readonly onBroken: (shown: string, bytes: number) => void;
  /** An empty line: nothing to read, but it still costs work. */
  readonly onEmpty?: () => void;
}

const LF = 10;
const CR = 13;
const SHOWN_BYTES = 4_096;

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
    if (!isUtf8(content)) onBroken(content.toString("utf8", 0, SHOWN_BYTES), content.length);
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

// Lines → a stream. Lines of one event loop turn leave in one write: each write wakes its reader, and one
// wake-up for many messages is far cheaper than one for each.

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
  readonly format?: (lines: string) => string | Buffer;
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
  const { onFull, format = (lines: string) => lines } = options;
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

// Bytes kept until the rest arrives. Grows by doubling, so that a frame in a thousand chunks is copied in
// linear time.

export interface HeldBytes {
  readonly length: number;
  /** Keeps a copy. `false` if it would exceed the limit; then nothing is kept. */
  readonly add: (bytes: Uint8Array) => boolean;
  /** The kept bytes in one piece. Up to `KEPT_CAPACITY` they are valid until the next `add`. Empties the buffer. */
  readonly take: () => Buffer;
}

/** A larger buffer is released after its frame instead of being reused. */
export const KEPT_CAPACITY = 65_536;

export function createHeldBytes(limit: number): HeldBytes {
  return new Held(limit);
}

class Held implements HeldBytes {
  readonly #limit: number;
  #store = Buffer.alloc(0);
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Uint8Array): boolean {
    const needed = this.length + bytes.length;
    if (needed > this.#limit) return false;
    if (needed > this.#store.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#store.length * 2, 1024));
      this.#store.copy(grown, 0, 0, this.length);
      this.#store = grown;
    }
    this.#store.set(bytes, this.length);
    this.length = needed;
    return true;
  }

  take(): Buffer {
    const taken = this.#store.subarray(0, this.length);
    this.length = 0;
    if (this.#store.length > KEPT_CAPACITY) this.#store = Buffer.alloc(0);
    return taken;
  }
}

// The bytes of a whole body, such as that of an HTTP message, in as many pieces as they arrive in.

/**
 * A single piece, the usual case, is not copied. Further ones are: the view of one byte
 * takes two hundred, and keeps its whole packet.
 */
export class BodyBytes {
  readonly #limit: number;
  readonly #held: HeldBytes;
  #only: Uint8Array | undefined;
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#held = createHeldBytes(limit);
  }

  /** `false` if it would exceed the limit; then nothing more is kept. */
  add(bytes: Uint8Array): boolean {
    if (this.length + bytes.length > this.#limit) return false;
    if (this.length === 0) this.#only = bytes;
    else {
      if (this.#only !== undefined) this.#held.add(this.#only);
      this.#only = undefined;
      this.#held.add(bytes);
    }
    this.length += bytes.length;
    return true;
  }

  /** All of them in one piece. Call once. */
  take(): Buffer {
    const only = this.#only;
    return only === undefined
      ? this.#held.take()
      : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  }
}
