// Server-sent events on one HTTP response, and how many streams are open.

import type { OutgoingHttpHeaders } from "node:http";
import type { CallerShare } from "../../sessions/edge-callers.js";
import { mayWriteMore, noteWritten } from "../guard-connections.js";
import { lengthOf } from "./create-stream-log.js";
import { busy, type Refusal } from "./refusal.js";
import type { Recipient, SseWriter, SseWriters } from "./sse-writer.js";
import { atTurnEnd, LARGE_BYTES } from "./write-response.js";

const HEADERS: OutgoingHttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export function createSseWriters(): SseWriters {
  const writers = new Set<SseWriter>();
  return {
    open(to, onClose) {
      const writer = createSseWriter(to);
      writers.add(writer);
      to.res.once("close", () => {
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

/** A part of a stream that waits for its turn. */
interface Frame {
  readonly parts: readonly (string | Buffer)[];
  readonly bytes: number;
}

/** Large messages leave in turns with large answers; what comes behind one on its stream waits for it (SAFE-4). */
function createSseWriter(to: Recipient): SseWriter {
  const { res } = to;
  if (!res.headersSent && !res.destroyed) {
    res.writeHead(200, HEADERS);
    // Open the stream at the client at once, even if the first event takes a while.
    res.flushHeaders();
  }
  /** The first one is large, if there is any. */
  const waiting: Frame[] = [];
  let waitingBytes = 0;
  let isEnding = false;
  const isGone = () => res.destroyed || res.writableEnded;
  const isClosed = () => isEnding || isGone();
  /** Large messages are written as they are, without making a text of them. */
  const write = ({ parts }: Frame) => {
    const [first = "", ...more] = parts;
    if (more.length > 0) res.cork();
    res.write(first);
    for (const part of more) res.write(part);
    if (more.length > 0) res.uncork();
    noteWritten(res);
  };
  const waitForTurn = (bytes: number) => atTurnEnd(to, bytes, writeWaiting);
  const writeWaiting = () => {
    for (let isTurn = true; ; isTurn = false) {
      const [next] = waiting;
      if (next === undefined || isGone()) break;
      if (next.bytes > LARGE_BYTES && !isTurn) return waitForTurn(next.bytes);
      waiting.shift();
      waitingBytes -= next.bytes;
      write(next);
    }
    if (isEnding && !isGone()) res.end();
  };
  const add = (parts: Frame["parts"], bytes: number) => {
    if (isClosed() || !mayWriteMore(res, waitingBytes)) return;
    const isFirst = waiting.length === 0;
    if (isFirst && bytes <= LARGE_BYTES) return write({ parts, bytes });
    waiting.push({ parts, bytes });
    waitingBytes += bytes;
    if (isFirst) waitForTurn(bytes);
  };
  return {
    send: (json, id) => {
      // JSON text holds no line breaks: it is one data line.
      const start = id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `;
      if (typeof json === "string") add([`${start}${json}\n\n`], json.length);
      else add([start, ...json, "\n\n"], lengthOf(json));
      return !isClosed();
    },
    frame: (text) => add([text], text.length),
    end: () => {
      if (isClosed()) return;
      if (waiting.length > 0) isEnding = true;
      else res.end();
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
