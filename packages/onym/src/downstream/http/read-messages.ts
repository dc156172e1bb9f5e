// Reads the messages of an HTTP response: one JSON text, or an event stream. Within limits, and never throws.

import type { ParsedMessage } from "../../mcp/fast-path/parse-large.js";
import { BodyBytes, createHeldBytes } from "../../mcp/framing/frames.js";
import { createSseReader, type SseEvent } from "../../mcp/framing/sse-reader.js";
import type { MessageText } from "../../mcp/json.js";
import type { Clock } from "../../model/clock.js";
import { ArrivingMessages, createPacedReading, OPEN_FRAMES, type Pace } from "../protocol/pace.js";
import { MAX_BATCH, readBatch } from "../protocol/read-batch.js";
import type { HttpAnswer } from "./http-delivery.js";

/** `done`: the consumer needs no more messages. */
export type MessagesEnd =
  | { readonly kind: "done" }
  | { readonly kind: "ended"; readonly lastEventId: string | undefined; readonly retryMs: number | undefined }
  /** `what` it sent: a message that is too large, or too many that are not complete. */
  | { readonly kind: "too-large"; readonly what: string };

export interface ReadMessagesOptions {
  readonly answer: HttpAnswer;
  readonly frameBytes: number;
  /** The pace of the server, over all its streams. */
  readonly pace: Pace;
  readonly clock: Clock;
  /**
   * Each parsed value, its text if it came alone, and what was received, alone or with others. Return `true` if nothing more is
   * needed.
   */
  readonly onMessage: (value: unknown, text: MessageText | undefined, source: string | Buffer) => boolean;
  /** Events that are not messages, such as `endpoint`. */
  readonly onEvent?: (event: SseEvent) => void;
  /** Called once, when there is nothing more to read. */
  readonly onEnd: (end: MessagesEnd) => void;
}

export function isEventStream(answer: HttpAnswer): boolean {
  const type = answer.header("content-type");
  // What nearly every server answers with.
  if (type === undefined || type === "application/json") return false;
  return /^\s*text\/event-stream\b/i.test(type);
}

/** Calls back instead of returning a promise, because it runs for every call. */
export function readMessages(options: ReadMessagesOptions): void {
  if (isEventStream(options.answer)) readEvents(options);
  else readJson(options);
}

/** The same as a promise. */
export function readAllMessages(options: Omit<ReadMessagesOptions, "onEnd">): Promise<MessagesEnd> {
  return new Promise((onEnd) => readMessages({ ...options, onEnd }));
}

/** The text of a small body, such as an error; the rest of a large one is dropped. */
export function readText({ body }: HttpAnswer, limit: number): Promise<string> {
  const held = createHeldBytes(limit);
  return new Promise((resolve) => {
    const end = (): void => resolve(held.take().toString("utf8"));
    body.read({
      onBytes: (bytes) => {
        if (held.add(bytes)) return;
        body.drop();
        end();
      },
      // Use what arrived so far.
      onEnd: end,
    });
  });
}

function readEvents(options: ReadMessagesOptions): void {
  const {
    answer: { body },
    frameBytes,
    pace,
    clock,
    onEvent,
    onEnd,
  } = options;
  let done = false;
  const arriving = new ArrivingMessages((parsed, source) => {
    if (!done) done = deliver(parsed, source, options);
  });
  const reader = createSseReader({
    frameBytes,
    onEmpty: () => pace.countEmpty(),
    onEvent: (event) => {
      if (event.event === "message" && event.data.length > 0) arriving.push(event.data);
      else {
        pace.count(event.data.length);
        pace.countUnsolicited();
        if (event.event !== "message") onEvent?.(event);
      }
    },
  });
  const open = new OpenFrame(pace, frameBytes);
  let isOver = false;
  const finish = (): void => {
    if (!done || isOver) return;
    isOver = true;
    open.end();
    body.discard();
    onEnd({ kind: "done" });
  };
  const take = (bytes: Uint8Array): Promise<void> | undefined => {
    if (done) return undefined;
    const isTooLarge = reader.push(bytes) !== undefined;
    if (isTooLarge || !open.setBytes(reader.heldBytes())) {
      done = true;
      isOver = true;
      body.drop();
      open.end();
      onEnd(tooLarge(isTooLarge, frameBytes));
      return undefined;
    }
    finish();
    return arriving.busy?.then(finish);
  };
  const reading = createPacedReading({
    pace,
    clock,
    take,
    pause: () => body.pause(),
    resume: () => body.resume(),
  });
  body.read({
    onBytes: (bytes) => reading.push(bytes),
    // A broken stream counts as ended.
    onEnd: () =>
      reading.end(() => {
        open.end();
        if (!done) onEnd({ kind: "ended", lastEventId: reader.lastEventId(), retryMs: reader.retryMs() });
      }),
  });
}

function readJson(options: ReadMessagesOptions): void {
  const {
    answer: { body },
    frameBytes,
    pace,
    onEnd,
  } = options;
  const held = new BodyBytes(frameBytes);
  const open = new OpenFrame(pace, frameBytes);
  body.read({
    onBytes: (bytes) => {
      const isTooLarge = !held.add(bytes);
      if (!isTooLarge && open.setBytes(held.length)) return;
      body.drop();
      open.end();
      onEnd(tooLarge(isTooLarge, frameBytes));
    },
    onEnd: (isWhole) => {
      open.end();
      let isDone = false;
      const arriving = new ArrivingMessages((parsed, source) => {
        isDone = deliver(parsed, source, options);
      });
      const finish = (): void =>
        onEnd(isDone ? { kind: "done" } : { kind: "ended", lastEventId: undefined, retryMs: undefined });
      if (isWhole) arriving.push(held.take());
      if (arriving.busy === undefined) finish();
      else void arriving.busy.then(finish, finish);
    },
  });
}

function tooLarge(isOne: boolean, frameBytes: number): MessagesEnd {
  const what = isOne
    ? `a message of more than ${frameBytes} bytes`
    : `more than ${OPEN_FRAMES * frameBytes} bytes in messages that are not complete`;
  return { kind: "too-large", what };
}

function deliver(parsed: ParsedMessage, source: string | Buffer, options: ReadMessagesOptions): boolean {
  const { pace } = options;
  pace.count(source.length, source);
  const isDone = parsed.ok && deliverValue(parsed, source, options);
  if (!parsed.ok) pace.countUnsolicited();
  pace.forget();
  return isDone;
}

function deliverValue(
  { value, text }: ParsedMessage & { readonly ok: true },
  source: string | Buffer,
  { onMessage, pace }: ReadMessagesOptions,
): boolean {
  if (!Array.isArray(value)) return onMessage(value, text, source);
  if (value.length === 0 || value.length > MAX_BATCH) pace.countUnsolicited();
  let done = false;
  for (const message of readBatch(value, pace)) done = onMessage(message, undefined, source) || done;
  return done;
}

/** One message that is not complete, among those of its server. */
class OpenFrame {
  readonly #pace: Pace;
  readonly #frameBytes: number;
  #bytes = 0;

  constructor(pace: Pace, frameBytes: number) {
    this.#pace = pace;
    this.#frameBytes = frameBytes;
  }

  /** Sets its bytes so far. `false`: all incomplete messages of the server together are too large. */
  setBytes(bytes: number): boolean {
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    return this.#pace.addOpenBytes(more, this.#frameBytes);
  }

  /** It is complete, or given up. Idempotent. */
  end(): void {
    this.setBytes(0);
  }
}
