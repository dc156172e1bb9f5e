// Requests from a server: answered here, sent to the caller they belong to, or refused. Never guessed.

import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { errorReply, type Reply, type RequestId, type RpcRequest, resultReply } from "../../mcp/message.js";
import { CODES, SERVER_REQUEST_METHODS } from "../../mcp/protocol.js";

import type { ConnectionEvents } from "../connection.js";
import type { ServerRequest } from "../downstream.js";
import type { Addressee } from "./in-flight.js";

export interface ServerRequests {
  /** Always answers, at most once; a request that the server cancelled gets no answer. */
  readonly answer: (request: RpcRequest, addressee: Addressee, send: (reply: Reply) => void) => void;
  /** `notifications/cancelled` from the server. */
  readonly withdraw: (params: JsonObject | undefined) => void;
  /** The connection has ended: answers are no longer needed. */
  readonly close: () => void;
}

export interface ServerRequestsOptions {
  /** Maximum open server requests. */
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
        `Several clients have requests in flight, and ${serverRequest.method} does not say which one is meant`,
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

// Checks whether a client declared that it can answer a server request, before it is sent (GW-5).

/** The missing capability, as a path; `undefined` if nothing is missing. */
export function lackingCapability(
  { method, params }: ServerRequest,
  capabilities: JsonObject,
): string | undefined {
  switch (method) {
    case "roots/list":
      return has(capabilities, "roots") ? undefined : "roots";
    case "sampling/createMessage": {
      if (!has(capabilities, "sampling")) return "sampling";
      const tools = ownValue(params, "tools") !== undefined || ownValue(params, "toolChoice") !== undefined;
      return tools && !has(capabilities, "sampling", "tools") ? "sampling.tools" : undefined;
    }
    case "elicitation/create": {
      if (!has(capabilities, "elicitation")) return "elicitation";
      const url = has(capabilities, "elicitation", "url");
      if (ownValue(params, "mode") === "url") return url ? undefined : "elicitation.url";
      // Clients before 2025-11-25 declare `{}` and mean forms.
      return url && !has(capabilities, "elicitation", "form") ? "elicitation.form" : undefined;
    }
    default:
      return method;
  }
}

function has(capabilities: JsonObject, ...path: readonly string[]): boolean {
  let at: unknown = capabilities;
  for (const key of path) at = isJsonObject(at) ? ownValue(at, key) : undefined;
  return isJsonObject(at);
}
