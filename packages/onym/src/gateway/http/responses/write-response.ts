// HTTP responses: JSON with a length, refusals as JSON-RPC errors, and empty ones.

import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { errorReply, formatReply, type Reply, type RequestId } from "../../../mcp/message.js";
import { CODES } from "../../../mcp/protocol.js";
import type { Log } from "../../../model/log.js";
import { CallerTurns } from "../../../model/run-slices.js";
import { HTTP_STATUSES } from "../../failure-codes.js";
import type { MessageSink } from "../../sessions/message-sink.js";
import { noteWritten } from "../guard-connections.js";
import type { Accepted } from "../requests/read-request.js";
import type { ResumableStream, StreamLog } from "./create-stream-log.js";
import { errorOf, type Refusal } from "./refusal.js";
import type { FormattedMessage, Recipient, SseWriter, SseWriters } from "./sse-writer.js";

export function writeJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers?: OutgoingHttpHeaders,
): void {
  writeText({ res, callerKey: undefined }, status, json, headers);
}

function writeText(to: Recipient, status: number, json: string, headers?: OutgoingHttpHeaders): void {
  const { res } = to;
  const bytes = Buffer.byteLength(json);
  writeAtTurnEnd(to, bytes, () => {
    res.writeHead(status, {
      "content-type": "application/json",
      "content-length": bytes,
      ...headers,
    });
    // As text, so that head and body leave in one write.
    res.end(json);
  });
}

function writeAtTurnEnd(to: Recipient, bytes: number, write: () => void): void {
  const { res } = to;
  atTurnEnd(to, bytes, () => {
    // The first response wins, and another path may have sent it.
    if (res.headersSent || res.destroyed) return;
    try {
      // The rest of the body is not read, so no request can follow it.
      if (!res.req.complete) res.setHeader("connection", "close");
      write();
      noteWritten(res);
    } catch {
      // A closed connection is better for the client than waiting forever.
      res.destroy();
    }
  });
}

function writeMessage(to: Recipient, status: number, json: FormattedMessage): void {
  if (typeof json === "string") writeText(to, status, json);
  else writePieces(to, status, json);
}

/** Large messages are written as they are, without making a text of them (SAFE-4). */
function writePieces(to: Recipient, status: number, pieces: readonly Buffer[]): void {
  const { res } = to;
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  writeAtTurnEnd(to, bytes, () => {
    res.writeHead(status, { "content-type": "application/json", "content-length": bytes });
    res.cork();
    for (const piece of pieces) res.write(piece);
    res.end();
  });
}

export function writeRefusal(res: ServerResponse, refusal: Refusal): void {
  const { code, id = null, headers } = refusal;
  writeJson(res, HTTP_STATUSES[code], formatReply(id, errorOf(refusal)), headers);
}

export function writeNothing(res: ServerResponse, status: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { "content-length": 0 });
  res.end();
}

/** A reply that cannot be serialized becomes an error that says so. */
export function formatResponse(id: RequestId | null, reply: Reply): string {
  try {
    return formatReply(id, reply);
  } catch {
    return formatReply(
      id,
      errorReply(CODES.internal, "Internal error: the answer cannot be written as JSON"),
    );
  }
}

/** The reply to a request: as chunks if its result is bytes, else as text. */
export function formatMessage(id: RequestId | null, reply: Reply): FormattedMessage {
  const pieces = piecesOf(reply);
  if (pieces === undefined) return formatResponse(id, reply);
  return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), ...pieces, END];
}

function piecesOf(reply: Reply): readonly Buffer[] | undefined {
  if (reply.kind === "bytes") return reply.pieces;
  return reply.kind === "result" && typeof reply.text === "object" ? [reply.text] : undefined;
}

const END = Buffer.from("}");

// Defers work to the end of this event loop turn, so that writes leave together: each write wakes its reader,
// and one wake-up for many messages is far cheaper than one for each.

type Work = () => void;

let waiting: Work[] = [];

// Large ones take turns of their own, so that the answers of others leave in between (SAFE-4). Callers take turns, too.
const large = new CallerTurns<LargeWork>();

interface LargeWork {
  readonly res: ServerResponse;
  readonly bytes: number;
  readonly work: Work;
}

export const LARGE_BYTES = 64 * 1024;
/** Bytes of large responses that one turn writes; at least one response. */
const TURN_BYTES = 4 * 1024 * 1024;

/** Small work runs in order, and so does the large work of a caller. None runs for a client that has left. */
export function atTurnEnd({ res, callerKey }: Recipient, bytes: number, work: Work): void {
  if (bytes > LARGE_BYTES) {
    if (large.isEmpty) setImmediate(runLarge);
    large.add(callerKey, { res, bytes, work });
  } else {
    if (waiting.length === 0) setImmediate(runSmall);
    waiting.push(work);
  }
}

function runSmall(): void {
  const works = waiting;
  waiting = [];
  runAll(works);
}

/** Behind what is small and waits already. */
function runLarge(): void {
  runSmall();
  runAll(takeLarge());
}

function takeLarge(): readonly Work[] {
  const taken: Work[] = [];
  let sum = 0;
  for (let next = large.peek(); next !== undefined; next = large.peek()) {
    // Nothing is written to a client that has left.
    const bytes = next.res.destroyed ? 0 : next.bytes;
    if (taken.length > 0 && sum + bytes > TURN_BYTES) break;
    large.take();
    if (next.res.destroyed) continue;
    sum += bytes;
    taken.push(next.work);
  }
  if (!large.isEmpty) setImmediate(runLarge);
  return taken;
}

/** Work handles its own failures; what it throws is dropped, so that the others still run. */
function runAll(works: readonly Work[]): void {
  for (const work of works) {
    try {
      work();
    } catch {
      // It handled its own failure.
    }
  }
}

// Work for an HTTP request that continues after the handler returned. A failure in it never leaves a client
// waiting.

export function failOnError(res: ServerResponse, work: Promise<void>, log: Log): void {
  work.catch((error: unknown) => failRequest(res, error, log));
}

/** The failure is a bug in the gateway; its details stay in the log. */
export function failRequest(res: ServerResponse, error: unknown, log: Log): void {
  log("error", "a request failed at the edge", { error: String(error) });
  if (res.headersSent) res.destroy();
  else writeRefusal(res, { code: "internal", message: "Internal error" });
}

// The response to a POST: JSON, unless something must be sent before the result; then a stream that ends with
// it.

export interface PostResponse extends MessageSink {
  readonly send: (json: FormattedMessage) => boolean;
  /** Becomes a stream now, if the client accepts one. */
  readonly stream: () => boolean;
  readonly isStreaming: () => boolean;
  readonly finish: (json: FormattedMessage, status?: number) => void;
  /** Finishes with the reply to a request. */
  readonly finishWith: (id: RequestId | null, reply: Reply, status?: number) => void;
  /** The request was cancelled: it gets no reply, and its stream ends. */
  readonly abandon: () => void;
}

export interface PostResponseOptions extends Recipient {
  readonly accepted: Accepted;
  readonly writers: SseWriters;
  /** With a log, the stream outlives the connection. */
  readonly log: StreamLog | undefined;
}

export function createPostResponse(options: PostResponseOptions): PostResponse {
  const { res, accepted, writers, log } = options;
  let stream: ResumableStream | undefined;
  let writer: SseWriter | undefined;

  const begin = (): boolean => {
    if (writer !== undefined) return true;
    if (!accepted.stream || res.destroyed || res.writableEnded) return false;
    const opened = writers.open(options, () => stream?.detach(opened));
    writer = opened;
    stream = log?.open();
    stream?.attach(opened);
    return true;
  };
  const send = (json: FormattedMessage): boolean => {
    if (!begin()) return false;
    if (stream !== undefined) return stream.send(json);
    return writer !== undefined && !writer.isClosed() && writer.send(json);
  };

  const finish = (json: FormattedMessage, status = 200): void => {
    if (writer === undefined && (accepted.json || !begin())) {
      writeMessage(options, status, json);
      return;
    }
    send(json);
    if (stream !== undefined) stream.finish();
    else writer?.end();
  };

  return {
    send,
    stream: begin,
    // Not a getter: accessors would slow down an object that every call creates.
    isStreaming: () => writer !== undefined,
    finish,
    finishWith: (id, reply, status) => finish(formatMessage(id, reply), status),
    abandon() {
      if (stream !== undefined) stream.drop();
      else if (writer !== undefined) writer.end();
      // Without an id, so that the client does not reconnect for more.
      else if (accepted.stream) writers.open(options, () => {}).end();
      else writeNothing(res, 202);
    },
  };
}
