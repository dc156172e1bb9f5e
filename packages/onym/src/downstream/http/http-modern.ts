// Streamable HTTP in the modern era: every request stands alone, its headers repeat what routers look at (GW-4).

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/cancel-signal.js";
import { formatHeaderValue } from "../../mcp/header-value.js";
import type { JsonObject } from "../../mcp/json.js";
import { MODERN_REVISION, NAME_HEADER_FIELD } from "../../mcp/protocol.js";
import type { Reply } from "../../mcp/reply.js";
import type { Hello, LinkContext } from "../connection.js";
import type { Ask } from "../downstream.js";
import { answerOnce, type BeginRequest, type Finish, unwritable } from "../protocol/answer-once.js";
import { formatRequest } from "../protocol/format-request.js";
import { askModern } from "../protocol/modern-requests.js";
import { buildOwnAsk } from "../protocol/own-requests.js";
import { createListening } from "../protocol/subscriptions.js";
import { brokenOff, explainFailedRequest } from "../protocol/unanswered.js";
import type { HttpAnswer, HttpClient, HttpFailure } from "./http-client.js";
import { type ReadReply, readReply } from "./http-exchange.js";

export interface HttpSide {
  readonly ask: (ask: Ask) => Promise<Reply>;
  readonly notify: (method: string, params?: JsonObject) => void;
  readonly close: () => Promise<void>;
}

export interface HttpSideOptions {
  readonly client: HttpClient;
  readonly context: LinkContext;
  /** The server is not there any more. */
  readonly onLost: (failure: HttpFailure) => void;
}

/** Sends one request of the modern era; the envelope is in its params already. */
export function createModernSend({ client, context, onLost }: HttpSideOptions): (ask: Ask) => Promise<Reply> {
  const { label, events } = context;
  let lastId = 0;
  const exchange = (id: number, ask: Ask, signal: CancelSignal, finish: Finish): void => {
    const body = formatRequest(id, ask);
    const onRead = (read: ReadReply): void =>
      finish(read.kind === "reply" ? read.reply : brokenOff(ask, label));
    const onAnswer = (answer: HttpAnswer | HttpFailure): void => {
      if (answer.kind === "answer") {
        readReply({ answer, id, ask, context, onNotice: events.onNotice, onRequest: () => {}, onRead });
        return;
      }
      if (answer.unreachable) onLost(answer);
      finish(explainFailedRequest(ask, label, answer));
    };
    client
      .request({ method: "POST", headers: modernHeaders(ask), body, signal })
      .then(onAnswer)
      .catch((error: unknown) => finish(unwritable(error)));
  };
  return (ask) => {
    const begin: BeginRequest = (finish) => {
      lastId += 1;
      // To end the HTTP request is how the modern era cancels.
      const gone = createCancelSource();
      exchange(lastId, ask, gone.signal, finish);
      return gone.cancel;
    };
    return answerOnce(ask, label, begin);
  };
}

export function createModernSide(hello: Hello, options: HttpSideOptions): HttpSide {
  const { context } = options;
  const { events, clientInfo, random } = context;
  const listening = createListening({
    capabilities: hello.capabilities,
    listen: (params, signal) => ask(buildOwnAsk("subscriptions/listen", params, { signal })),
    random,
  });
  const send = createModernSend({
    ...options,
    context: {
      ...context,
      events: {
        ...events,
        onNotice: (notice) => {
          const accepted = listening.accept(notice);
          if (accepted !== undefined) events.onNotice(accepted);
        },
      },
    },
  });
  const ask = (asked: Ask): Promise<Reply> => askModern(asked, clientInfo, send);
  listening.start();
  return {
    ask: (asked) =>
      asked.method === "resources/subscribe" || asked.method === "resources/unsubscribe"
        ? Promise.resolve(listening.follow(asked.method, asked.params))
        : ask(asked),
    notify: () => {},
    close: async () => listening.close(),
  };
}

function modernHeaders({ method, params, headers = [] }: Ask): ReadonlyMap<string, string> {
  const built = new Map<string, string>();
  for (const [name, value] of headers) built.set(name.toLowerCase(), value);
  built.set("content-type", "application/json");
  built.set("accept", "application/json, text/event-stream");
  built.set("mcp-protocol-version", MODERN_REVISION);
  built.set("mcp-method", formatHeaderValue(method));
  const field = NAME_HEADER_FIELD.get(method);
  const name = field === undefined ? undefined : params[field];
  if (typeof name === "string") built.set("mcp-name", formatHeaderValue(name));
  return built;
}
