// Streamable HTTP in the modern era: every request is stateless, and its headers repeat what proxies route by
// (GW-4).

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import { formatHeaderValue } from "../../mcp/header-value.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { MODERN_REVISION } from "../../mcp/protocol.js";
import type { ConnectionContext, Handshake } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { sendModernRequest } from "../protocol/modern-requests.js";
import {
  answerOnce,
  type BeginRequest,
  brokenOff,
  buildOwnRequest,
  explainFailedRequest,
  type Finish,
  formatRequest,
  unwritable,
} from "../protocol/request.js";
import { createSubscriptions } from "../protocol/subscriptions.js";
import type { HttpClient, HttpFailure } from "./http-client.js";
import type { HttpAnswer } from "./http-delivery.js";
import { type ReadReply, readReply } from "./read-reply.js";

export interface HttpConnection {
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  readonly notify: (method: string, params?: JsonObject) => void;
  readonly close: () => Promise<void>;
}

export interface HttpConnectionOptions {
  readonly client: HttpClient;
  readonly context: ConnectionContext;
  /** The server is unreachable. */
  readonly onLost: (failure: HttpFailure) => void;
}

/** Sends one modern request; its params already contain the envelope. */
export function createModernSend({
  client,
  context,
  onLost,
}: HttpConnectionOptions): (request: DownstreamRequest) => Promise<Reply> {
  const { label, events } = context;
  let lastId = 0;
  const exchange = (id: number, request: DownstreamRequest, signal: CancelSignal, finish: Finish): void => {
    const body = formatRequest(id, request);
    const onRead = (read: ReadReply): void =>
      finish(read.kind === "reply" ? read.reply : brokenOff(request, label));
    const onAnswer = (answer: HttpAnswer | HttpFailure): void => {
      if (answer.kind === "answer") {
        readReply({
          answer,
          id,
          request,
          context,
          onNotification: events.onNotification,
          onRequest: () => {},
          onRead,
        });
        return;
      }
      if (answer.unreachable) onLost(answer);
      finish(explainFailedRequest(request, label, answer));
    };
    client
      .request({ method: "POST", headers: modernHeaders(request), body, signal })
      .then(onAnswer)
      .catch((error: unknown) => finish(unwritable(error)));
  };
  return (request) => {
    const begin: BeginRequest = (finish) => {
      lastId += 1;
      // In the modern era, closing the HTTP request cancels it.
      const gone = createCancelSource();
      exchange(lastId, request, gone.signal, finish);
      return gone.cancel;
    };
    return answerOnce(request, label, begin);
  };
}

export function createModernHttp(handshake: Handshake, options: HttpConnectionOptions): HttpConnection {
  const { context } = options;
  const { events, clientInfo, random } = context;
  const subscriptions = createSubscriptions({
    capabilities: handshake.capabilities,
    listen: (params, signal) => sendRequest(buildOwnRequest("subscriptions/listen", params, { signal })),
    random,
  });
  const send = createModernSend({
    ...options,
    context: {
      ...context,
      events: {
        ...events,
        onNotification: (notification) => {
          const accepted = subscriptions.accept(notification);
          if (accepted !== undefined) events.onNotification(accepted);
        },
      },
    },
  });
  const sendRequest = (request: DownstreamRequest): Promise<Reply> =>
    sendModernRequest(request, clientInfo, send);
  subscriptions.start();
  return {
    send: (request) =>
      request.method === "resources/subscribe" || request.method === "resources/unsubscribe"
        ? Promise.resolve(subscriptions.follow(request.method, request.params))
        : sendRequest(request),
    notify: () => {},
    close: async () => subscriptions.close(),
  };
}

function modernHeaders({ method, params, headers = [] }: DownstreamRequest): ReadonlyMap<string, string> {
  const built = new Map<string, string>();
  for (const [name, value] of headers) built.set(name.toLowerCase(), value);
  built.set("content-type", "application/json");
  built.set("accept", "application/json, text/event-stream");
  built.set("mcp-protocol-version", MODERN_REVISION);
  built.set("mcp-method", formatHeaderValue(method));
  const field = METHODS.get(method)?.nameHeaderField;
  const name = field === undefined ? undefined : params[field];
  if (typeof name === "string") built.set("mcp-name", formatHeaderValue(name));
  return built;
}
