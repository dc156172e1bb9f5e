// Server-sent events on one HTTP response, and how many streams are open.

import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { CallerShare } from "../../sessions/edge-callers.js";
import type { MessageSink } from "../../sessions/message-sink.js";
import { mayWriteMore, noteWritten } from "../guard-connections.js";
import { busy, type Refusal } from "./refusal.js";

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
  readonly open: (res: ServerResponse, onClose: () => void) => SseWriter;
  readonly keepAlive: () => void;
  readonly endAll: () => void;
}

const HEADERS: OutgoingHttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export function createSseWriters(): SseWriters {
  const writers = new Set<SseWriter>();
  return {
    open(res, onClose) {
      const writer = createSseWriter(res);
      writers.add(writer);
      res.once("close", () => {
        writers.delete(writer);
        onClose();
      });
      return writer;
    },
    keepAlive() {
      for (const writer of writers) writer.frame(": keep-alive\n\n");
    },
    endAll() {
      for (const writer of [...writers]) writer.end();
    },
  };
}

function createSseWriter(res: ServerResponse): SseWriter {
  if (!res.headersSent && !res.destroyed) {
    res.writeHead(200, HEADERS);
    // Open the stream at the client at once, even if the first event takes a while.
    res.flushHeaders();
  }
  const isClosed = () => res.destroyed || res.writableEnded;
  const frame = (text: string) => {
    if (isClosed() || !mayWriteMore(res)) return;
    res.write(text);
    noteWritten(res);
  };
  /** Large messages are written as they are, without making a text of them (SAFE-4). */
  const frameBytes = (parts: readonly (string | Buffer)[]) => {
    if (isClosed() || !mayWriteMore(res)) return;
    res.cork();
    for (const part of parts) res.write(part);
    res.uncork();
    noteWritten(res);
  };
  return {
    send: (json, id) => {
      // JSON text holds no line breaks: it is one data line.
      const start = id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `;
      if (typeof json === "string") frame(`${start}${json}\n\n`);
      else frameBytes([start, ...json, "\n\n"]);
      return !isClosed();
    },
    frame,
    end: () => {
      if (!isClosed()) res.end();
    },
    isClosed,
  };
}

// Counts long-lived streams, per caller and in total, and refuses those beyond the limits.

export interface StreamCount {
  /**
   * The refusal if one more is too many. Where all callers together have too many, the oldest stream of the caller with the
   * most ends instead, if that one has more than this caller will have.
   */
  readonly take: (caller: CallerShare, end: EndStream) => Refusal | undefined;
  /** Does nothing for a stream that gave way. */
  readonly release: (caller: CallerShare, end: EndStream) => void;
}

/** Ends a stream; also what identifies it. */
type EndStream = () => void;

export function createStreamCount(limit: number): StreamCount {
  /** In the order in which they were opened. */
  const open = new Map<EndStream, CallerShare>();
  const release: StreamCount["release"] = (caller, end) => {
    if (open.delete(end)) caller.release("streams");
  };
  /** `false` if nobody has more streams than this caller will have. */
  const makeRoomFor = (caller: CallerShare): boolean => {
    let victim: readonly [EndStream, CallerShare] | undefined;
    for (const each of open) if (each[1].streams > (victim?.[1].streams ?? caller.streams + 1)) victim = each;
    if (victim === undefined) return false;
    const [end, owner] = victim;
    // It counts no more, however long its client takes to read the rest.
    release(owner, end);
    end();
    return true;
  };
  return {
    take(caller, end) {
      if (!caller.hasRoom("streams")) return caller.refusal("streams");
      if (open.size >= limit && !makeRoomFor(caller)) return busy("Too many streams are open");
      caller.take("streams");
      open.set(end, caller);
      return undefined;
    },
    release,
  };
}
