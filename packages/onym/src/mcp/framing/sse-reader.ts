// Bytes → server-sent events, as the HTML standard defines them. Linear in the input, with limits.

import { createHeldBytes, type FrameProblem, type HeldBytes, KEPT_CAPACITY } from "./frames.js";

export interface SseEvent {
  /** `message` if the stream names none. */
  readonly event: string;
  /** A large one as its bytes, which are nobody else's. */
  readonly data: string | Buffer;
}

export interface SseReader {
  /** Emits the complete events. After a problem it reads no more: end the connection. */
  readonly push: (chunk: Uint8Array) => FrameProblem | undefined;
  /** The latest `id` of a complete event, for `Last-Event-ID`; `undefined` without one. */
  readonly lastEventId: () => string | undefined;
  /** Bytes of an event that is not complete. */
  readonly heldBytes: () => number;
  /** The latest `retry` in ms. */
  readonly retryMs: () => number | undefined;
}

export interface SseReaderOptions {
  /** Maximum bytes of one event. */
  readonly frameBytes: number;
  readonly onEvent: (event: SseEvent) => void;
  /** A comment, an event without data, or many lines that no event needs: nothing to read, but it still costs work. */
  readonly onEmpty?: () => void;
}

/** Lines that an event has at no cost: event, id, retry and data. */
const USUAL_LINES = 4;
/** So many more cost as much as a comment: their data may be on many lines, and reading one takes little. */
export const LINES_AS_ONE = 64;

const LF = 10;
const CR = 13;
const SPACE = 32;
const LINE_END = Buffer.from("\n");
const BOM = Buffer.from("\uFEFF");
const DATA = "data:";

export function createSseReader(options: SseReaderOptions): SseReader {
  return new EventStream(options);
}

/** Bytes → lines → events. */
class EventStream implements SseReader {
  readonly #frameBytes: number;
  /** A line that is not complete. */
  readonly #held: HeldBytes;
  readonly #fields: EventFields;
  /** The last byte was CR: an LF right after it belongs to the same line end. */
  #afterCr = false;
  #problem: FrameProblem | undefined;

  constructor(options: SseReaderOptions) {
    this.#frameBytes = options.frameBytes;
    this.#held = createHeldBytes(options.frameBytes);
    this.#fields = new EventFields(options);
  }

  push(chunk: Uint8Array): FrameProblem | undefined {
    if (this.#problem !== undefined || chunk.byteLength === 0) return this.#problem;
    if (!this.#read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
      this.#problem = { kind: "too-large", limit: this.#frameBytes };
    return this.#problem;
  }

  heldBytes(): number {
    return this.#held.length + this.#fields.data.length;
  }

  lastEventId(): string | undefined {
    return this.#fields.lastEventId;
  }

  retryMs(): number | undefined {
    return this.#fields.retryMs;
  }

  /** `false` if a line or an event is too large. */
  #read(bytes: Buffer): boolean {
    let start = this.#afterCr && bytes[0] === LF ? 1 : 0;
    let nextCr = bytes.indexOf(CR, start);
    let nextLf = bytes.indexOf(LF, start);
    while (nextCr !== -1 || nextLf !== -1) {
      const end = nextCr === -1 || (nextLf !== -1 && nextLf < nextCr) ? nextLf : nextCr;
      if (!this.#addLine(bytes.subarray(start, end))) return false;
      start = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
      if (nextCr !== -1 && nextCr < start) nextCr = bytes.indexOf(CR, start);
      if (nextLf !== -1 && nextLf < start) nextLf = bytes.indexOf(LF, start);
    }
    this.#afterCr = bytes[bytes.length - 1] === CR;
    const rest = bytes.subarray(start);
    return this.heldBytes() + rest.length <= this.#frameBytes && this.#held.add(rest);
  }

  /** Adds the end of a line; `false` if the line is too large, alone or together with its event. */
  #addLine(piece: Buffer): boolean {
    if (this.heldBytes() + piece.length > this.#frameBytes) return false;
    if (this.#held.length === 0) this.#fields.takeLine(piece);
    else {
      this.#held.add(piece);
      this.#fields.takeLine(this.#held.take());
    }
    return true;
  }
}

/** Lines → events. */
class EventFields {
  lastEventId: string | undefined;
  retryMs: number | undefined;
  readonly data: EventData;
  readonly #options: SseReaderOptions;
  #atStart = true;
  /** Lines of an event that is not complete, and those that were too many before. */
  #lines = 0;
  #event = "";
  #id: string | undefined;

  constructor(options: SseReaderOptions) {
    this.#options = options;
    this.data = new EventData(options.frameBytes);
  }

  takeLine(bytes: Buffer): void {
    if (bytes.length > KEPT_CAPACITY) {
      this.#takeLargeLine(bytes);
      return;
    }
    let line = bytes.toString("utf8");
    if (this.#atStart && line.startsWith("\uFEFF")) line = line.slice(1);
    this.#atStart = false;
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) {
      this.#options.onEmpty?.();
      return;
    }
    this.#lines += 1;
    if (this.#lines === USUAL_LINES + LINES_AS_ONE) this.#countLines();
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "data") this.data.addText(value, bytes.length);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value.includes("\0") ? this.#id : value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #countLines(): void {
    this.#lines = USUAL_LINES;
    this.#options.onEmpty?.();
  }

  /** Of the fields that may be long, only the data is read. */
  #takeLargeLine(bytes: Buffer): void {
    const start = this.#atStart && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    this.#atStart = false;
    if (bytes.toString("latin1", start, start + DATA.length) !== DATA) {
      this.#options.onEmpty?.();
      return;
    }
    const from = start + DATA.length;
    this.data.addLarge(bytes.subarray(bytes[from] === SPACE ? from + 1 : from), bytes.length);
  }

  #dispatch(): void {
    this.lastEventId = this.#id ?? this.lastEventId;
    const data = this.data.take();
    const event = this.#event === "" ? "message" : this.#event;
    this.#event = "";
    this.#lines = this.#lines > USUAL_LINES ? this.#lines - USUAL_LINES : 0;
    if (data !== undefined) this.#options.onEvent({ event, data });
    else this.#options.onEmpty?.();
  }
}

/** The data of an event that is not complete. */
class EventData {
  /** Bytes of its lines. */
  length = 0;
  readonly #frameBytes: number;
  #lines: string[] = [];
  /** Instead, if the data is large. */
  #large: Buffer | HeldBytes | undefined;

  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
  }

  /** `bytes`: those of the whole line. */
  addText(value: string, bytes: number): void {
    if (this.length + bytes > KEPT_CAPACITY) this.addLarge(Buffer.from(value), bytes);
    else {
      this.length += bytes;
      this.#lines.push(value);
    }
  }

  /** A line as bytes. A single one, the usual case, is not copied. */
  addLarge(value: Buffer, bytes: number): void {
    this.length += bytes;
    if (this.#large === undefined && this.#lines.length === 0) {
      this.#large = value;
      return;
    }
    if (this.#large === undefined || Buffer.isBuffer(this.#large)) {
      const before = this.#large ?? Buffer.from(this.#lines.join("\n"));
      this.#lines = [];
      this.#large = createHeldBytes(2 * this.#frameBytes);
      this.#large.add(before);
    }
    this.#large.add(LINE_END);
    this.#large.add(value);
  }

  /** `undefined` without any. Empties it. */
  take(): string | Buffer | undefined {
    const lines = this.#lines;
    const large = this.#large;
    this.#lines = [];
    this.#large = undefined;
    this.length = 0;
    if (large !== undefined) return Buffer.isBuffer(large) ? large : large.take();
    return lines.length === 0 ? undefined : lines.join("\n");
  }
}
