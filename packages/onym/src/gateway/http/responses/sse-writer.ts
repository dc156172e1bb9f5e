// What writes server-sent events, and what it writes.

import type { ServerResponse } from "node:http";
import type { MessageSink } from "../../sessions/message-sink.js";

/** Where a response goes, and whose it is. */
export interface Recipient {
  readonly res: ServerResponse;
  /** Callers take turns where responses are large. */
  readonly callerKey: string | undefined;
}

/** A message as JSON: text, or bytes in chunks where they are ready. */
export type FormattedMessage = string | readonly Buffer[];

export interface SseWriter extends MessageSink {
  /** A message event, with an id if the stream can be resumed after it. */
  readonly send: (json: FormattedMessage, id?: string) => boolean;
  /** Any other frame, including its blank line. */
  readonly frame: (text: string) => void;
  readonly end: () => void;
  /** The client disconnected, or the stream has ended. */
  readonly isClosed: () => boolean;
}

/** The open writers, to keep them alive and end them together. */
export interface SseWriters {
  readonly open: (to: Recipient, onClose: () => void) => SseWriter;
  readonly keepAlive: () => void;
  readonly endAll: () => void;
}
