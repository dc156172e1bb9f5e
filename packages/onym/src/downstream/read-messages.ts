// The messages in an HTTP answer: one JSON text, or a stream of events. Bounded, and never throws.

import type { Readable } from "node:stream";
import { createHeldBytes } from "../rpc/held-bytes.js";
import { parseJson } from "../rpc/parse-json.js";
import { createSseReader, type SseEvent } from "../rpc/sse-reader.js";
import type { HttpAnswer } from "./http-client.js";

const LINGER_MS = 1000;

/** `done` where the reader of the messages had enough. */
export type MessagesEnd =
  | { readonly kind: "done" }
  | { readonly kind: "ended"; readonly lastEventId: string | undefined; readonly retryMs: number | undefined }
  | { readonly kind: "too-large" };

export interface ReadMessagesOptions {
  readonly answer: HttpAnswer;
  readonly frameBytes: number;
  /** Each value as parsed. Answers `true` where nothing more is needed. */
  readonly onMessage: (value: unknown) => boolean;
  /** Events that are no messages, such as `endpoint`. */
  readonly onEvent?: (event: SseEvent) => void;
}

export function isEventStream(answer: HttpAnswer): boolean {
  return /^\s*text\/event-stream\b/i.test(answer.header("content-type") ?? "");
}

export async function readMessages(options: ReadMessagesOptions): Promise<MessagesEnd> {
  const end = isEventStream(options.answer) ? await readEvents(options) : await readJson(options);
  if (end.kind === "done") letEnd(options.answer.body);
  if (end.kind === "too-large") options.answer.body.destroy();
  return end;
}

/** The text of a body that is small, as those of errors are; the rest of a large one is dropped. */
export async function readText({ body }: HttpAnswer, limit: number): Promise<string> {
  const held = createHeldBytes(limit);
  try {
    for await (const chunk of body) if (!held.add(chunk)) break;
  } catch {
    // What came so far is all there is.
  }
  body.destroy();
  return held.take().toString("utf8");
}

async function readEvents({
  answer,
  frameBytes,
  onMessage,
  onEvent,
}: ReadMessagesOptions): Promise<MessagesEnd> {
  let done = false;
  const reader = createSseReader({
    frameBytes,
    onEvent: (event) => {
      if (event.event !== "message") onEvent?.(event);
      else if (!done && event.data !== "") done = deliver(event.data, onMessage);
    },
  });
  try {
    for await (const chunk of answer.body.iterator({ destroyOnReturn: false })) {
      if (reader.push(chunk) !== undefined) return { kind: "too-large" };
      if (done) return { kind: "done" };
    }
  } catch {
    // A stream that breaks has ended.
  }
  return { kind: "ended", lastEventId: reader.lastEventId, retryMs: reader.retryMs };
}

async function readJson({ answer, frameBytes, onMessage }: ReadMessagesOptions): Promise<MessagesEnd> {
  const held = createHeldBytes(frameBytes);
  try {
    for await (const chunk of answer.body) if (!held.add(chunk)) return { kind: "too-large" };
  } catch {
    return { kind: "ended", lastEventId: undefined, retryMs: undefined };
  }
  return deliver(held.take().toString("utf8"), onMessage)
    ? { kind: "done" }
    : { kind: "ended", lastEventId: undefined, retryMs: undefined };
}

/** A stream that has said everything usually ends at once, and its connection can be used again. */
function letEnd(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), LINGER_MS);
  timer.unref();
  body.once("close", () => clearTimeout(timer));
  body.resume();
}

function deliver(text: string, onMessage: (value: unknown) => boolean): boolean {
  const parsed = parseJson(text);
  if (!parsed.ok) return false;
  const { value } = parsed;
  // Batches were allowed until 2025-03-26.
  let done = false;
  for (const message of Array.isArray(value) ? value : [value]) done = onMessage(message) || done;
  return done;
}
