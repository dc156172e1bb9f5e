// Requests from a server: answered here, sent to the caller they belong to, or refused if that caller is not certain.
// Below: which caller a request or a log message belongs to.

import { createTickets, toAbortSignal } from "../../mcp/fast-path/in-flight.js";
import { isJsonObject, type JsonObject, measureJson, ownValue } from "../../mcp/json.js";
import {
  errorReply,
  isLongId,
  LONG_ID,
  type Reply,
  type RequestId,
  type RpcRequest,
  resultReply,
} from "../../mcp/message.js";
import { CODES, SERVER_REQUEST_METHODS } from "../../mcp/protocol.js";
import type { Clock } from "../../model/clock.js";
import type { ConnectionEvents } from "../connection.js";
import type { DownstreamRequest, ServerRequest, UnsolicitedReceiver } from "../downstream.js";
import { ConnectionUse, isOwnRequest } from "./request.js";

export interface ServerRequests {
  /** Always answers, at most once; a request that the server cancelled gets no answer. */
  readonly answer: (
    request: RpcRequest,
    /** Called only if the request is for a caller: it looks through all that are pending. */
    findAddressee: () => Addressee,
    send: (reply: Reply) => void,
  ) => void;
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
/** Characters of JSON in the params of one request, an escape counted as one (SAFE-5). */
export const MAX_PARAMS_LENGTH = 4_194_304;
/** The same for all open requests of one connection together. */
export const MAX_OPEN_LENGTH = 16_777_216;

export function createServerRequests({ limit, onServerRequest }: ServerRequestsOptions): ServerRequests {
  const open = new Map<RequestId, AbortController>();
  /** Characters of their params. */
  let openLength = 0;

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
    const { sendRequest, capabilities } = addressee.request.origin;
    const lacking = lackingCapability(serverRequest, capabilities);
    if (lacking !== undefined)
      return errorReply(CODES.methodNotFound, `The client does not support ${lacking}`, {
        capability: lacking,
      });
    if (sendRequest === undefined)
      return errorReply(
        CODES.methodNotFound,
        `The client cannot be asked for ${serverRequest.method} in its revision`,
      );
    return sendRequest(serverRequest, AbortSignal.any([signal, toAbortSignal(addressee.request.signal)]));
  };

  return {
    answer: (request, findAddressee, send) => {
      const { id, method, params = {} } = request;
      if (isLongId(id)) return send(errorReply(CODES.invalidRequest, `Invalid Request: ${LONG_ID}`));
      if (method === "ping") return send(resultReply({}));
      if (!METHODS.includes(method)) return send(errorReply(CODES.methodNotFound, "Method not found"));
      if (open.has(id)) return send(errorReply(CODES.invalidRequest, "This id is in use"));
      if (open.size >= limit) return send(errorReply(CODES.internal, "Too many server requests at once"));
      const length = measureJson(params, MAX_PARAMS_LENGTH);
      if (length > MAX_PARAMS_LENGTH)
        return send(
          errorReply(CODES.invalidParams, `The params have more than ${MAX_PARAMS_LENGTH} characters.`),
        );
      if (openLength + length > MAX_OPEN_LENGTH)
        return send(
          errorReply(
            CODES.internal,
            `The params of the open requests have more than ${MAX_OPEN_LENGTH} characters`,
          ),
        );
      const cancel = new AbortController();
      open.set(id, cancel);
      openLength += length;
      const finish = (reply: Reply): void => {
        open.delete(id);
        openLength -= length;
        if (!cancel.signal.aborted) send(reply);
      };
      Promise.resolve(route({ method, params }, findAddressee(), cancel.signal)).then(finish, () =>
        finish(errorReply(CODES.internal, "The request could not be sent to the client")),
      );
    },
    withdraw: (params) => {
      const id = params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") open.get(id)?.abort();
    },
    close: () => {
      for (const cancel of open.values()) cancel.abort();
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

// Which caller a server request or log message can be meant for: the callers whose requests the server works
// on (SAFE-6).

export type Addressee =
  /** The server works on no request. */
  | { readonly kind: "nobody"; readonly receiver: UnsolicitedReceiver }
  | { readonly kind: "one"; readonly request: DownstreamRequest }
  /** Several callers wait: it is unknown which one the server means, and Onym does not guess. */
  | { readonly kind: "several" }
  /** Its caller has cancelled, disconnected or timed out. */
  | { readonly kind: "abandoned" };

/** Which caller may see something that belongs to no known request. */
export function unsolicitedReceiver(addressee: Addressee): UnsolicitedReceiver {
  return addressee.kind === "nobody" ? addressee.receiver : "nobody";
}

/** Requests whose callers gave up, while the server may still work on them. */
export interface AbandonedRequests {
  readonly add: (requestId: number, request: DownstreamRequest) => void;
  /** The server answered it after all. */
  readonly answered: (requestId: number) => void;
  /** The callers of these requests. */
  readonly callers: () => ReadonlySet<string>;
}

/**
 * How long an abandoned request counts if it is never answered: most servers do not answer cancelled
 * requests. Until then, a server request that may concern it is refused.
 */
const ABANDONED_MS = 10 * 60_000;
/** Beyond this, they are remembered together, as requests of an unknown caller. */
const MAX_ABANDONED = 1_000;
const SOMEBODY = "";

interface AbandonedRequest {
  readonly caller: string;
  readonly until: number;
  readonly place: DownstreamRequest["place"];
}

export function createAbandonedRequests(clock: Pick<Clock, "now">): AbandonedRequests {
  const requests = new Map<number, AbandonedRequest>();
  const forget = (): void => {
    const now = clock.now();
    // In the order of abandonment, so the first that still counts ends the loop.
    for (const [requestId, { until }] of requests) {
      if (until > now) return;
      requests.delete(requestId);
    }
  };
  return {
    add(requestId, request) {
      if (isOwnRequest(request)) return;
      forget();
      const isFull = requests.size >= MAX_ABANDONED;
      // All under the id 0: delete it first, so that it moves to the end of the map.
      if (isFull) requests.delete(0);
      requests.set(isFull ? 0 : requestId, {
        caller: isFull ? SOMEBODY : request.origin.id,
        until: clock.now() + ABANDONED_MS,
        place: isFull ? undefined : request.place,
      });
    },
    answered(requestId) {
      requests.get(requestId)?.place?.answerLate();
      requests.delete(requestId);
    },
    callers() {
      forget();
      return new Set([...requests.values()].map(({ caller }) => caller));
    },
  };
}

export interface InFlight {
  /** Returns the ticket for `remove` and `abandon`. */
  readonly add: (request: DownstreamRequest) => number;
  /** The request was answered. */
  readonly remove: (ticket: number) => void;
  /** Its caller gave up, and the server may still work on it. */
  readonly abandon: (ticket: number, request: DownstreamRequest) => void;
  readonly addressee: () => Addressee;
}

export function createInFlight(clock: Pick<Clock, "now">): InFlight {
  const waiting = createTickets<DownstreamRequest>();
  const abandoned = createAbandonedRequests(clock);
  const use = new ConnectionUse();
  return {
    add(request) {
      use.note(request);
      return waiting.take(request);
    },
    remove: waiting.drop,
    abandon(ticket, request) {
      waiting.drop(ticket);
      abandoned.add(ticket, request);
    },
    addressee: () =>
      findAddressee(waiting.values(), { abandoned: abandoned.callers(), receiver: use.receiver }),
  };
}

/**
 * The newest request of the only waiting caller, preferably one whose client can be asked. Onym's own
 * requests do not count. It searches all requests, because it is called far less often than requests start and end.
 */
export function findAddressee(
  asks: readonly DownstreamRequest[],
  past: { readonly abandoned: ReadonlySet<string>; readonly receiver: UnsolicitedReceiver },
): Addressee {
  const newestFirst = asks.filter((request) => !isOwnRequest(request)).reverse();
  const [newest] = newestFirst;
  if (newest === undefined)
    return past.abandoned.size > 0 ? { kind: "abandoned" } : { kind: "nobody", receiver: past.receiver };
  const callers = new Set([...newestFirst.map(({ origin }) => origin.id), ...past.abandoned]);
  if (callers.size > 1) return { kind: "several" };
  return {
    kind: "one",
    request: newestFirst.find(({ origin }) => origin.sendRequest !== undefined) ?? newest,
  };
}
