// What one client has under way, whatever the transport: its requests by id, and the questions put to it.

import type { Question } from "../../downstream/downstream.js";
import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import { createTickets } from "../../mcp/fast-path/tickets.js";
import {
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import type { Caller } from "../caller.js";
import type { Drain } from "../http/drain.js";
import type { Refusal } from "../http/responses/write-response.js";
import type { Front } from "../router.js";
import type { CallerShare } from "./create-quotas.js";
import type { Carrier } from "./message-sink.js";
import { createQuestions } from "./outgoing-requests.js";
import { type Running, runExchange } from "./run-request.js";

export interface Conversation {
  /** Requests that are not answered yet. */
  readonly underWay: number;
  /**
   * `onReply` is called once, and must not throw. It gets `undefined` when the request was cancelled or the conversation
   * ended: there is no answer then. Not called where the request is refused: its caller has too many in flight, or the
   * gateway is shutting down.
   */
  readonly answer: (asked: Asked, onReply: (reply: Reply | undefined) => void) => Refusal | undefined;
  readonly ask: (question: Question, signal: AbortSignal, carrier: Carrier) => Promise<Reply>;
  /** Takes `notifications/cancelled`. */
  readonly cancel: (notification: RpcNotification) => void;
  /** Takes the answer to a question. */
  readonly settle: (response: RpcResponse) => void;
  /** Aborts what is under way. */
  readonly close: () => void;
}

interface Asked {
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes what comes before the answer. */
  readonly carrier: Carrier;
  readonly headers: ReadonlyMap<string, string> | undefined;
}

export interface ConversationOptions {
  readonly front: Front;
  /** Requests and questions under way at once. */
  readonly pending: number;
  readonly log: Log;
  readonly drain: Drain;
  /** What the caller holds, in this conversation and beside it; nobody shares a line over stdio. */
  readonly share?: CallerShare | undefined;
}

export function createConversation(options: ConversationOptions): Conversation {
  const { front, pending, log, drain, share } = options;
  const questions = createQuestions(pending, share);
  // A client that uses an id twice at once gets both answers, and cancels both.
  const running = createTickets<Running>();
  let underWay = 0;
  let closed = false;

  return {
    get underWay() {
      return underWay;
    },
    answer({ request, caller, carrier, headers }, onReply) {
      if (closed) {
        onReply(undefined);
        return undefined;
      }
      const refusal = drain.refusal(request);
      if (refusal !== undefined) return refusal;
      if (underWay >= pending) {
        onReply(errorReply(CODES.internal, `Too many requests at once: ${pending} are under way`));
        return undefined;
      }
      if (share?.take("pending") === false) return share.refusal("pending");
      underWay += 1;
      const run = runExchange({
        front,
        request,
        caller,
        carrier,
        // A question about a request ends with the request.
        ask:
          caller.era === "modern"
            ? undefined
            : (question, asking, signal) =>
                questions.ask(question, AbortSignal.any([asking, toAbortSignal(signal)]), carrier),
        headers,
        log,
        onReply,
        onEnd: () => {
          running.drop(ticket);
          underWay -= 1;
          share?.release("pending");
        },
      });
      const ticket = running.take(run);
      return undefined;
    },
    ask: questions.ask,
    cancel({ params }) {
      const id = params?.["requestId"];
      if (!isRequestId(id)) return;
      for (const run of running.values()) if (run.id === id) run.cancel();
    },
    settle: questions.settle,
    close() {
      closed = true;
      questions.close();
      for (const run of running.values()) run.cancel();
    },
  };
}

/** `"1"` and `1` are two ids. */
export function keyOfId(id: RequestId): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}
