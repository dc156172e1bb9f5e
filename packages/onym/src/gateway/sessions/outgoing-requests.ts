// Requests to a client, in an id space of their own, and the answers to them.

import type { ServerRequest } from "../../downstream/downstream.js";
import type { RpcResponse } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import { formatServerRequest } from "../http/responses/format-message.js";
import { errorOf } from "../http/responses/write-response.js";
import type { CallerShare } from "./create-quotas.js";
import { type MessageSink, sendNotification } from "./message-sink.js";

export interface OutgoingRequests {
  readonly send: (serverRequest: ServerRequest, signal: AbortSignal, sink: MessageSink) => Promise<Reply>;
  /** Takes the client's response; one that belongs to no question is ignored. */
  readonly settle: (response: RpcResponse) => void;
  /** Answers every open question with an error. */
  readonly close: () => void;
}

export function createOutgoingRequests(limit: number, share?: CallerShare): OutgoingRequests {
  const open = new Map<string, (reply: Reply) => void>();
  let count = 0;
  let closed = false;

  return {
    send(serverRequest, signal, sink) {
      if (closed || signal.aborted) return Promise.resolve(gone());
      if (open.size >= limit) {
        return Promise.resolve(errorReply(CODES.internal, "Too many questions to the client are open"));
      }
      if (share?.take("questions") === false) return Promise.resolve(errorOf(share.refusal("questions")));
      const id = `onym-${++count}`;
      return new Promise((resolve) => {
        const settle = (reply: Reply) => {
          if (open.delete(id)) share?.release("questions");
          signal.removeEventListener("abort", withdraw);
          resolve(reply);
        };
        const withdraw = () => {
          settle(gone());
          sendNotification(sink, { method: "notifications/cancelled", params: { requestId: id } });
        };
        open.set(id, settle);
        signal.addEventListener("abort", withdraw);
        const json = formatServerRequest(id, serverRequest);
        if (json === undefined || !sink.send(json)) {
          settle(errorReply(CODES.internal, "The client cannot be asked: it has no stream open"));
        }
      });
    },
    settle({ id, result, error }) {
      const settle = typeof id === "string" ? open.get(id) : undefined;
      if (settle === undefined) return;
      if (error !== undefined) settle({ kind: "error", error });
      else if (result !== undefined) settle(resultReply(result));
    },
    close() {
      closed = true;
      for (const settle of [...open.values()]) settle(gone());
    },
  };
}

function gone(): Reply {
  return errorReply(CODES.internal, "The question was withdrawn, or the client is gone");
}
