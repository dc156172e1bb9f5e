// The event streams of one HTTP session and their sent events, so that a client can resume a lost stream
// (SEP-1699).

import type { MessageSink } from "../../sessions/message-sink.js";
import type { FormattedMessage, SseWriter } from "./sse-writer.js";

export interface ResumableStream extends MessageSink {
  /** Buffered while no connection is attached. `false` once the stream has finished. */
  readonly send: (json: FormattedMessage) => boolean;
  readonly isAttached: () => boolean;
  /**
   * Attaches a connection; an earlier one of the same stream is ended. First sends what the client lacks:
   * everything after the event it names, else everything never written.
   */
  readonly attach: (writer: SseWriter, after?: number) => void;
  readonly detach: (writer: SseWriter) => void;
  /** Nothing more will be sent; sent events can still be fetched. */
  readonly finish: () => void;
  /** Ends the stream and forgets its events. */
  readonly drop: () => void;
}

export interface StreamLog {
  readonly open: () => ResumableStream;
  /** The stream that sent an event; `undefined` if nothing of it is left to fetch. */
  readonly find: (
    eventId: string,
  ) => { readonly stream: ResumableStream; readonly after: number } | undefined;
  readonly close: () => void;
}

export interface StreamLogOptions {
  /** How many to keep, now. */
  readonly bytes: () => number;
  readonly events: number;
  /** Start streams with an event without data, so that the client has an id to resume from. */
  readonly primed: boolean;
  /** How long a client waits before it reconnects. */
  readonly retryMs: number;
}

interface Sent {
  readonly stream: number;
  readonly seq: number;
  readonly json: FormattedMessage;
  readonly length: number;
}

export function createStreamLog({ bytes, events, primed, retryMs }: StreamLogOptions): StreamLog {
  const streams = new Map<number, { readonly stream: ResumableStream; readonly isOver: () => boolean }>();
  let sent: Sent[] = [];
  let held = 0;
  let opened = 0;

  const keep = (entry: Sent) => {
    sent.push(entry);
    held += entry.length;
    const most = bytes();
    while (held > most || sent.length > events) {
      const oldest = sent.shift();
      if (oldest === undefined) break;
      held -= oldest.length;
      forgetIfOver(oldest.stream);
    }
  };
  const forgetIfOver = (key: number) => {
    if (streams.get(key)?.isOver() && !sent.some(({ stream }) => stream === key)) streams.delete(key);
  };
  const forget = (key: number) => {
    streams.delete(key);
    sent = sent.filter(({ stream }) => stream !== key);
    held = sent.reduce((sum, { length }) => sum + length, 0);
  };

  const open = (): ResumableStream => {
    const key = opened++;
    let writer: SseWriter | undefined;
    let seq = 0;
    let written = 0;
    let over = false;
    const stream: ResumableStream = {
      isAttached: () => writer !== undefined && !writer.isClosed(),
      send(json) {
        if (over) return false;
        seq += 1;
        keep({ stream: key, seq, json, length: lengthOf(json) });
        if (writer === undefined || writer.isClosed()) return true;
        writer.send(json, `${key}-${seq}`);
        written = seq;
        return true;
      },
      attach(next, after = written) {
        const earlier = writer;
        writer = next;
        earlier?.end();
        if (primed) next.frame(`id: ${key}-${after}\nretry: ${retryMs}\ndata: \n\n`);
        for (const entry of sent) {
          if (entry.stream === key && entry.seq > after) next.send(entry.json, `${key}-${entry.seq}`);
        }
        written = seq;
        if (over) next.end();
      },
      detach(gone) {
        if (writer === gone) writer = undefined;
      },
      finish() {
        over = true;
        writer?.end();
        forgetIfOver(key);
      },
      drop() {
        over = true;
        writer?.end();
        forget(key);
      },
    };
    streams.set(key, { stream, isOver: () => over });
    return stream;
  };

  return {
    open,
    find(eventId) {
      const match = /^(\d{1,15})-(\d{1,15})$/.exec(eventId);
      if (match === null) return undefined;
      const key = Number(match[1]);
      const after = Number(match[2]);
      const found = streams.get(key);
      if (found === undefined) return undefined;
      // A client that has all of a finished stream would reconnect forever.
      const left = !found.isOver() || sent.some((entry) => entry.stream === key && entry.seq > after);
      return left ? { stream: found.stream, after } : undefined;
    },
    close() {
      for (const { stream } of [...streams.values()]) stream.drop();
    },
  };
}

/** Bytes, or characters of a text. */
export function lengthOf(json: FormattedMessage): number {
  return typeof json === "string" ? json.length : json.reduce((sum, { length }) => sum + length, 0);
}
