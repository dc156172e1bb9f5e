// Requests that a downstream makes: answered here, put to the caller they belong to, or refused. Never guessed.

import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../../mcp/json.js";
import type { RequestId, RpcRequest } from "../../mcp/message.js";
import { CODES, QUESTION_METHODS } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { LinkEvents } from "../connection.js";
import type { Question } from "../downstream.js";
import type { Meant } from "./in-flight.js";
import { lackingCapability } from "./lacking-capability.js";

export interface QuestionDesk {
  /** Answers in every case, at most once; a question that the downstream withdrew is not answered. */
  readonly answer: (request: RpcRequest, meant: Meant, send: (reply: Reply) => void) => void;
  /** `notifications/cancelled` of the downstream. */
  readonly withdraw: (params: JsonObject | undefined) => void;
  /** The connection is over: nobody waits for answers any more. */
  readonly close: () => void;
}

export interface QuestionDeskOptions {
  /** Questions open at once. */
  readonly limit: number;
  readonly onQuestion: LinkEvents["onQuestion"];
}

const QUESTIONS: readonly string[] = QUESTION_METHODS;

export function createQuestionDesk({ limit, onQuestion }: QuestionDeskOptions): QuestionDesk {
  const open = new Map<RequestId, AbortController>();

  const route = (question: Question, meant: Meant, signal: AbortSignal): Promise<Reply> | Reply => {
    if (meant.kind === "nobody") return onQuestion(question, signal, meant.receiver);
    if (meant.kind === "abandoned")
      return errorReply(
        CODES.internal,
        `The client whose request ${question.method} belongs to has cancelled it or is gone`,
      );
    if (meant.kind === "several")
      return errorReply(
        CODES.internal,
        `Several clients have requests under way, and ${question.method} does not say which one is meant`,
      );
    const { answer, capabilities } = meant.ask.from;
    const lacking = lackingCapability(question, capabilities);
    if (lacking !== undefined)
      return errorReply(CODES.methodNotFound, `The client does not support ${lacking}`, {
        capability: lacking,
      });
    if (answer === undefined)
      return errorReply(
        CODES.methodNotFound,
        `The client cannot be asked for ${question.method} in its revision`,
      );
    return answer(question, AbortSignal.any([signal, toAbortSignal(meant.ask.signal)]));
  };

  return {
    answer: (request, meant, send) => {
      const { id, method, params = {} } = request;
      if (method === "ping") return send(resultReply({}));
      if (!QUESTIONS.includes(method)) return send(errorReply(CODES.methodNotFound, "Method not found"));
      if (open.has(id)) return send(errorReply(CODES.invalidRequest, "This id is in use"));
      if (open.size >= limit) return send(errorReply(CODES.internal, "Too many questions at once"));
      const asked = new AbortController();
      open.set(id, asked);
      const finish = (reply: Reply): void => {
        open.delete(id);
        if (!asked.signal.aborted) send(reply);
      };
      Promise.resolve(route({ method, params }, meant, asked.signal)).then(finish, () =>
        finish(errorReply(CODES.internal, "The question could not be put to the client")),
      );
    },
    withdraw: (params) => {
      const id = params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") open.get(id)?.abort();
    },
    close: () => {
      for (const asked of open.values()) asked.abort();
    },
  };
}
