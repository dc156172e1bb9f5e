// The response to a POST: JSON, unless something must be sent before the result; then a stream that ends with
// it.

import type { ServerResponse } from "node:http";
import type { RequestId } from "../../../mcp/message.js";
import type { Reply } from "../../../mcp/reply.js";
import type { MessageSink } from "../../sessions/message-sink.js";
import type { Accepted } from "../requests/read-request.js";
import type { MessageText, SseWriter, SseWriters } from "./create-sse-writer.js";
import type { ResumableStream, StreamLog } from "./create-stream-log.js";
import { formatResponse, replyBytes, writeJson, writeNothing, writeReply } from "./write-response.js";

export interface PostResponse extends MessageSink {
  /** Becomes a stream now, if the client accepts one. */
  readonly stream: () => boolean;
  readonly isStreaming: () => boolean;
  readonly finish: (json: string, status?: number) => void;
  /** Finishes with the reply to a request. */
  readonly finishWith: (id: RequestId | null, reply: Reply, status?: number) => void;
  /** The request was cancelled: it gets no reply, and its stream ends. */
  readonly abandon: () => void;
}

export interface PostResponseOptions {
  readonly res: ServerResponse;
  readonly accepted: Accepted;
  readonly writers: SseWriters;
  /** With a log, the stream outlives the connection. */
  readonly log: StreamLog | undefined;
}

export function createPostResponse({ res, accepted, writers, log }: PostResponseOptions): PostResponse {
  let stream: ResumableStream | undefined;
  let writer: SseWriter | undefined;

  const begin = (): boolean => {
    if (writer !== undefined) return true;
    if (!accepted.stream || res.destroyed || res.writableEnded) return false;
    const opened = writers.open(res, () => stream?.detach(opened));
    writer = opened;
    stream = log?.open();
    stream?.attach(opened);
    return true;
  };
  const send = (json: MessageText): boolean => {
    if (!begin()) return false;
    if (stream !== undefined) return stream.send(json);
    return writer !== undefined && !writer.isClosed() && writer.send(json);
  };

  const finish = (json: string, status = 200): void => {
    if (writer === undefined && (accepted.json || !begin())) {
      writeJson(res, status, json);
      return;
    }
    finishStream(json);
  };
  const finishStream = (json: MessageText): void => {
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
    finishWith(id, reply, status = 200) {
      if (writer === undefined && accepted.json) {
        writeReply(res, id, reply, status);
        return;
      }
      const bytes = begin() ? replyBytes(id, reply) : undefined;
      if (bytes === undefined) finish(formatResponse(id, reply), status);
      else finishStream(bytes);
    },
    abandon() {
      if (stream !== undefined) stream.drop();
      else if (writer !== undefined) writer.end();
      // Without an id, so that the client does not reconnect for more.
      else if (accepted.stream) writers.open(res, () => {}).end();
      else writeNothing(res, 202);
    },
  };
}
