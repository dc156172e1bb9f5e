// Requests that a downstream makes: answered here, put to the caller they belong to, or refused. Never guessed.

import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../../mcp/json.js";
import type { RequestId, RpcRequest } from "../../mcp/message.js";
import { CODES, SERVER_REQUEST_METHODS } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { ConnectionEvents } from "../connection.js";
import type { ServerRequest } from "../downstream.js";
import type { Addressee } from "./in-flight.js";
import { lackingCapability } from "./lacking-capability.js";

export interface ServerRequests {
  /** Answers in every case, at most once; a question that the downstream withdrew is not answered. */
  readonly answer: (request: RpcRequest, addressee: Addressee, send: (reply: Reply) => void) => void;
  /** `notifications/cancelled` of the downstream. */
  readonly withdraw: (params: JsonObject | undefined) => void;
  /** The connection is over: nobody waits for answers any more. */
  readonly close: () => void;
}

export interface ServerRequestsOptions {
  /** Questions open at once. */
  readonly limit: number;
  readonly onServerRequest: ConnectionEvents["onServerRequest"];
}

const METHODS: readonly string[] = SERVER_REQUEST_METHODS;

export function createServerRequests({ limit, onServerRequest }: ServerRequestsOptions): ServerRequests {
  const open = new Map<RequestId, AbortController>();

  const route = (
    serverRequest: ServerRequest,
    addressee: Addressee,
    signal: AbortSignal,
  ): Promise<Reply> | Reply => {
    if (addressee.kind === "nobody") return onServerRequest(serverRequest, signal, addressee.receiver);
    if (addressee.kind === "abandoned")
      return errorReply(
        CODES.internal,
        `The client whose request ${serverRequest.method} belongs to has cancelled it or is gone`,
      );
    if (addressee.kind === "several")
      return errorReply(
        CODES.internal,
        `Several clients have requests under way, and ${serverRequest.method} does not say which one is meant`,
      );
    const { sendRequest: answer, capabilities } = addressee.request.origin;
    const lacking = lackingCapability(serverRequest, capabilities);
    if (lacking !== undefined)
      return errorReply(CODES.methodNotFound, `The client does not support ${lacking}`, {
        capability: lacking,
      });
    if (answer === undefined)
      return errorReply(
        CODES.methodNotFound,
        `The client cannot be asked for ${serverRequest.method} in its revision`,
      );
    return answer(serverRequest, AbortSignal.any([signal, toAbortSignal(addressee.request.signal)]));
  };

  return {
    answer: (request, addressee, send) => {
      const { id, method, params = {} } = request;
      if (method === "ping") return send(resultReply({}));
      if (!METHODS.includes(method)) return send(errorReply(CODES.methodNotFound, "Method not found"));
      if (open.has(id)) return send(errorReply(CODES.invalidRequest, "This id is in use"));
      if (open.size >= limit) return send(errorReply(CODES.internal, "Too many questions at once"));
      const asked = new AbortController();
      open.set(id, asked);
      const finish = (reply: Reply): void => {
        open.delete(id);
        if (!asked.signal.aborted) send(reply);
      };
      Promise.resolve(route({ method, params }, addressee, asked.signal)).then(finish, () =>
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
