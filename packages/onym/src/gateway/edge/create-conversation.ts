// What one client has under way, whatever the transport: its requests by id, and the questions put to it.

import type { Question } from "../../downstream/downstream.js";
import type { Log } from "../../observe/log.js";
import {
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../rpc/message.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Front } from "../front.js";
import type { Carrier } from "./carrier.js";
import { createQuestions } from "./create-questions.js";
import { runExchange } from "./run-exchange.js";

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

export interface Asked {
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
  const running = new Map<string, Set<AbortController>>();
  let underWay = 0;
  let closed = false;

  return {
    get underWay() {
      return underWay;
    },
    async answer({ request, caller, carrier, headers }) {
      if (closed) return undefined;
      if (underWay >= pending) {
        return errorReply(CODES.internal, `Too many requests at once: ${pending} are under way`);
      }
      const key = keyOfId(request.id);
      const controller = new AbortController();
      const { signal } = controller;
      const same = running.get(key) ?? new Set();
      running.set(key, same.add(controller));
      underWay += 1;
      return runExchange({
        front,
        request,
        caller,
        signal,
        carrier,
        // A question about a request ends with the request.
        ask:
          caller.era === "modern"
            ? undefined
            : (question, asking) => questions.ask(question, AbortSignal.any([asking, signal]), carrier),
        headers,
        log,
        onEnd: () => {
          same.delete(controller);
          if (same.size === 0 && running.get(key) === same) running.delete(key);
          underWay -= 1;
        },
      });
    },
    ask: questions.ask,
    cancel({ params }) {
      const id = params?.["requestId"];
      if (!isRequestId(id)) return;
      for (const controller of running.get(keyOfId(id)) ?? []) controller.abort();
    },
    settle: questions.settle,
    close() {
      closed = true;
      questions.close();
      for (const same of [...running.values()]) for (const controller of same) controller.abort();
    },
  };
}

/** `"1"` and `1` are two ids. */
export function keyOfId(id: RequestId): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}
