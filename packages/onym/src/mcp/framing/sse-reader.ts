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
  /** A comment, or an event without data: nothing to read, but it still costs work. */
  readonly onEmpty?: () => void;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const LINE_END = Buffer.from("\n");
const BOM = Buffer.from("\uFEFF");
const DATA = "data:";

export function createSseReader({ frameBytes, onEvent, onEmpty }: SseReaderOptions): SseReader {
  const held = createHeldBytes(frameBytes);
  let problem: FrameProblem | undefined;
  let atStart = true;
  /** The last byte was CR: an LF right after it belongs to the same line end. */
  let afterCr = false;
  let data: string[] = [];
  /** Instead, if the data is large. */
  let large: Buffer | HeldBytes | undefined;
  let dataBytes = 0;
  let event = "";
  let id: string | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;

  const dispatch = (): void => {
    lastEventId = id ?? lastEventId;
    const whole = takeData();
    const name = event;
    event = "";
    if (whole !== undefined) onEvent({ event: name === "" ? "message" : name, data: whole });
    else onEmpty?.();
  };

  const takeData = (): string | Buffer | undefined => {
    const lines = data;
    const bytes = large;
    data = [];
    large = undefined;
    dataBytes = 0;
    if (bytes !== undefined) return Buffer.isBuffer(bytes) ? bytes : bytes.take();
    return lines.length === 0 ? undefined : lines.join("\n");
  };

  /** A line of data, as bytes if the data is large. A single line, the usual case, is not copied. */
  const addLargeData = (value: Buffer): void => {
    if (large === undefined && data.length === 0) {
      large = value;
      return;
    }
    if (large === undefined || Buffer.isBuffer(large)) {
      const before = large ?? Buffer.from(data.join("\n"));
      data = [];
      large = createHeldBytes(2 * frameBytes);
      large.add(before);
    }
    large.add(LINE_END);
    large.add(value);
  };

  /** Of the fields that may be long, only the data is read. */
  const takeLargeLine = (bytes: Buffer): void => {
    const start = atStart && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    atStart = false;
    if (bytes.toString("latin1", start, start + DATA.length) !== DATA) {
      onEmpty?.();
      return;
    }
    const from = start + DATA.length;
    dataBytes += bytes.length;
    addLargeData(bytes.subarray(bytes[from] === SPACE ? from + 1 : from));
  };

  const takeLine = (bytes: Buffer): void => {
    if (bytes.length > KEPT_CAPACITY) {
      takeLargeLine(bytes);
      return;
    }
    let line = bytes.toString("utf8");
    if (atStart && line.startsWith("\uFEFF")) line = line.slice(1);
    atStart = false;
    if (line === "") {
      dispatch();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) {
      onEmpty?.();
      return;
    }
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "data") {
      dataBytes += bytes.length;
      if (dataBytes > KEPT_CAPACITY) addLargeData(Buffer.from(value));
      else data.push(value);
    } else if (field === "event") event = value;
    else if (field === "id") id = value.includes("\0") ? id : value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  };

  /** Adds one line; `false` if it is too large, alone or together with its event. */
  const addLine = (piece: Buffer): boolean => {
    if (held.length + piece.length + dataBytes > frameBytes) return false;
    if (held.length === 0) takeLine(piece);
    else {
      held.add(piece);
      takeLine(held.take());
    }
    return true;
  };

  const read = (bytes: Buffer): boolean => {
    let start = afterCr && bytes[0] === LF ? 1 : 0;
    let nextCr = bytes.indexOf(CR, start);
    let nextLf = bytes.indexOf(LF, start);
    while (nextCr !== -1 || nextLf !== -1) {
      const end = nextCr === -1 || (nextLf !== -1 && nextLf < nextCr) ? nextLf : nextCr;
      if (!addLine(bytes.subarray(start, end))) return false;
      start = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
      if (nextCr !== -1 && nextCr < start) nextCr = bytes.indexOf(CR, start);
      if (nextLf !== -1 && nextLf < start) nextLf = bytes.indexOf(LF, start);
    }
    afterCr = bytes[bytes.length - 1] === CR;
    const rest = bytes.subarray(start);
    return rest.length + dataBytes + held.length <= frameBytes && held.add(rest);
  };

  return {
    push: (chunk) => {
      if (problem !== undefined || chunk.byteLength === 0) return problem;
      if (!read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
        problem = { kind: "too-large", limit: frameBytes };
      return problem;
    },
    heldBytes: () => held.length + dataBytes,
    lastEventId: () => lastEventId,
    retryMs: () => retryMs,
  };
}
