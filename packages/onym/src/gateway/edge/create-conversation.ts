// What one client has under way, whatever the transport: its requests by id, and the questions put to it.

import type { Question } from "../../downstream/downstream.js";
import type { Log } from "../../observe/log.js";
import { toAbortSignal } from "../../rpc/cancel-signal.js";
import {
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../rpc/message.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import { createTickets } from "../../rpc/tickets.js";
import type { Caller } from "../caller.js";
import type { Front } from "../front.js";
import type { Carrier } from "./carrier.js";
import { createQuestions } from "./create-questions.js";
import { type Running, runExchange } from "./run-exchange.js";

export interface Conversation {
  /** Requests that are not answered yet. */
  readonly underWay: number;
  /** `undefined` when the request was cancelled or the conversation ended: it gets no answer. */
  readonly answer: (asked: Asked) => Promise<Reply | undefined>;
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
}

export function createConversation({ front, pending, log }: ConversationOptions): Conversation {
  const questions = createQuestions(pending);
  // A client that uses an id twice at once gets both answers, and cancels both.
  const running = createTickets<{ readonly id: RequestId; readonly run: Running }>();
  let underWay = 0;
  let closed = false;

  return {
    get underWay() {
      return underWay;
    },
    answer({ request, caller, carrier, headers }) {
      if (closed) return Promise.resolve(undefined);
      if (underWay >= pending) {
        return Promise.resolve(
          errorReply(CODES.internal, `Too many requests at once: ${pending} are under way`),
        );
      }
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
            : (signal) => (question, asking) => {
                return questions.ask(question, AbortSignal.any([asking, toAbortSignal(signal)]), carrier);
              },
        headers,
        log,
        onEnd: () => {
          running.drop(ticket);
          underWay -= 1;
        },
      });
      const ticket = running.take({ id: request.id, run });
      return run.reply;
    },
    ask: questions.ask,
    cancel({ params }) {
      const id = params?.["requestId"];
      if (!isRequestId(id)) return;
      for (const each of running.values()) if (each.id === id) each.run.cancel();
    },
    settle: questions.settle,
    close() {
      closed = true;
      questions.close();
      for (const { run } of running.values()) run.cancel();
    },
  };
}

/** `"1"` and `1` are two ids. */
export function keyOfId(id: RequestId): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}
