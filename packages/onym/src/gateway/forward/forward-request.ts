// Forwards a caller's request to its server and returns the reply, translating between eras (GW-5).

import type { Downstream, DownstreamId, Notification, RequestOrigin } from "../../downstream/downstream.js";
import { unanswered } from "../../downstream/protocol/request.js";
import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { extendMember, isObjectMember, shortMember } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { changedReply, errorReply, isRequestId, type Reply, type RequestId } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES, type Era, LOG_LEVELS, type LogLevel, META } from "../../mcp/protocol.js";
import type { Caller } from "../caller.js";
import type { GuardedCall, OngoingDecision, Recheck } from "../calls/guard.js";
import { digestOf } from "../catalog/name-lock.js";
import { beginHop, endHop, withTrace } from "../tracing/trace-hop.js";
import {
  labelServerRequest,
  labelServerRequests,
  MALFORMED_SERVER_REQUEST,
  UNREADABLE_SERVER_REQUEST,
} from "./label-server-requests.js";
import type { SessionRequests } from "./session-requests.js";
import { isStillAllowed, type SuspendedCalls, type SuspendedContext } from "./suspended-calls.js";

export interface ForwardPorts {
  readonly suspended: SuspendedCalls;
  readonly sessionRequests: SessionRequests;
  readonly serverInfo: JsonObject;
  readonly callMs: () => number;
  /** Counts up whenever decisions may have changed: with each new view, and with each change of approvals. */
  readonly epoch: () => number;
  /** What is decided about a call by now. */
  readonly reconsider: (call: GuardedCall) => OngoingDecision;
}

export interface Forwarded {
  readonly downstream: Downstream;
  /** With the server's own names. */
  readonly params: JsonObject;
  /** As the guard let it pass, with the params as the caller sent them. */
  readonly call: GuardedCall;
  /** `undefined`: it may be sent whatever is decided by then. */
  readonly recheck: Recheck | undefined;
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

export function forwardRequest(request: Forwarded, ports: ForwardPorts): Promise<Reply> {
  const { downstream, call } = request;
  const { method, caller, requestContext, argumentsText } = call;
  const { params, progressToken } = stripMeta(request.params);
  const serverEra = downstream.eraFor(caller.era);
  /** A reload may have denied it since it was sent (POL-9). */
  const isDenied = (): boolean => ports.reconsider(call).kind === "deny";
  const sendToServer = (
    to: Pick<SuspendedContext, "signal" | "notify">,
    forwarded: JsonObject,
    sendRequest: RequestOrigin["sendRequest"],
  ): Promise<Reply> => {
    const hop =
      requestContext.span === undefined
        ? undefined
        : beginHop(requestContext.span, { downstream, method, params: request.params });
    const reply = downstream.send({
      method,
      params: hop === undefined ? forwarded : withTrace(forwarded, hop),
      argumentsText,
      signal: to.signal,
      timeoutMs: ports.callMs(),
      headers: request.headers,
      refuse: () => refuseNow(request, ports),
      origin: {
        id: caller.id,
        callerKey: caller.callerKey,
        capabilities: caller.capabilities,
        logLevel: caller.logLevel,
        wantsProgress: progressToken !== undefined,
        notify: to.notify,
        sendRequest:
          sendRequest &&
          (async (serverRequest, signal) =>
            isDenied() ? MAY_NOT_ASK : sendRequest(labelServerRequest(serverRequest, downstream.id), signal)),
        isDenied,
      },
    });
    return hop === undefined ? reply : endHop(hop, reply, to.signal);
  };
  /** Progress of a suspended call uses the token of the request that currently waits for it. */
  const to: SuspendedContext = {
    signal: requestContext.signal,
    held: requestContext.held,
    whileAdmitted: requestContext.whileAdmitted,
    notify(notification) {
      const ready = notificationFor(notification, caller, progressToken);
      if (ready === undefined || (ready.method === "notifications/message" && isDenied())) return;
      requestContext.notify(ready);
    },
  };

  const adapt = { method, caller: caller.era, serverEra, serverInfo: ports.serverInfo };
  if (caller.era === "legacy") {
    const { sendRequest } = requestContext;
    const work = stoppable(requestContext.signal);
    const sendWhileAllowed: RequestOrigin["sendRequest"] =
      sendRequest &&
      (async (serverRequest, signal) => {
        const mayGoOn = createCallCheck(call, ports);
        const send = (until: AbortSignal) => sendRequest(serverRequest, until);
        const reply = await ports.sessionRequests.send({ mayGoOn, send, signal });
        if (reply === undefined) work.stop();
        return reply ?? MAY_NOT_ASK;
      });
    return sendToServer({ ...to, signal: work.signal }, params, sendWhileAllowed).then((reply) =>
      work.end() === "stopped" ? unanswered({ method }, ENDED_WHILE_ASKED) : adaptReply(reply, adapt),
    );
  }
  if (serverEra === "modern")
    return sendToServer(to, params, undefined).then((reply) =>
      adaptReply(asksForInput(reply) && isDenied() ? MAY_NOT_ASK_NOW : named(reply, downstream.id), adapt),
    );
  const { requestState: state, inputResponses: _, ...plain } = params;
  if (typeof state === "string") return ports.suspended.resume(call, to, state);
  return ports.suspended.begin(
    call,
    to,
    async (suspended) => adaptReply(await sendToServer(suspended, plain, suspended.sendRequest), adapt),
    () => (isSameDefinition(call) ? ports.reconsider(call) : { kind: "deny" }),
  );
}

/** The last look at a call, when it is about to be sent. Nearly always nothing has changed since its request arrived. */
export function refuseNow(
  { call, recheck }: Pick<Forwarded, "call" | "recheck">,
  { epoch, reconsider }: Pick<ForwardPorts, "epoch" | "reconsider">,
): Reply | undefined {
  return epoch() === call.epoch ? undefined : recheck?.(reconsider(call));
}

/** Whether the call may go on as it may now: it is still allowed, and the tool the one that was called. */
function createCallCheck(call: GuardedCall, { reconsider }: ForwardPorts): () => boolean {
  const before = reconsider(call);
  return () => isSameDefinition(call) && isStillAllowed(before, reconsider(call));
}

function isSameDefinition({ target, targetNow }: GuardedCall): boolean {
  return digestOf((targetNow() ?? target).identity.definition) === digestOf(target.identity.definition);
}

/** A signal that follows the client's, and that can also be aborted here: then the server is told. */
function stoppable(client: CancelSignal) {
  const { signal, cancel } = createCancelSource();
  let outcome: "stopped" | "done" = "done";
  client.addEventListener("abort", cancel, { once: true });
  if (client.aborted) cancel();
  return {
    signal,
    stop() {
      outcome = "stopped";
      cancel();
    },
    end() {
      client.removeEventListener("abort", cancel);
      return outcome;
    },
  };
}

/** To a server that asks during a call that is denied by now. */
const MAY_NOT_ASK = errorReply(CODES.methodNotFound, "The client may no longer be asked by this server.");
/** To its caller, with what is said of any call without an answer. */
const ENDED_WHILE_ASKED =
  "The call was ended while its client was asked: it is no longer allowed, or its tool or server has changed";
/** To its caller, where the question would be the reply. */
const MAY_NOT_ASK_NOW = errorReply(CODES.internal, "The server asked for input, which it no longer may.");

type ResultReply = Extract<Reply, { readonly kind: "result" }>;

function asksForInput(reply: Reply): reply is ResultReply {
  return reply.kind === "result" && shortMember(reply.result, "resultType") === "input_required";
}

/** Nearly every reply passes unchanged, including its text. */
function named(reply: Reply, id: DownstreamId): Reply {
  if (!asksForInput(reply)) return reply;
  if (!isReadable(reply.result)) return errorReply(CODES.internal, UNREADABLE_SERVER_REQUEST);
  const result = labelServerRequests(reply.result, id);
  if (result === undefined) return errorReply(CODES.internal, MALFORMED_SERVER_REQUEST);
  return result === reply.result ? reply : { kind: "result", result };
}

/** A notification as this caller gets it; `undefined` if it did not ask for that kind. */
function notificationFor(
  notification: Notification,
  caller: Caller,
  progressToken: string | number | undefined,
): Notification | undefined {
  if (notification.method === "notifications/progress") {
    if (progressToken === undefined) return undefined;
    return { method: notification.method, params: { ...notification.params, progressToken } };
  }
  if (notification.method === "notifications/message")
    return admitsLevel(caller, notification.params["level"]) ? notification : undefined;
  return notification;
}

/** Modern clients get log messages only if they name a level; older ones get them until they do. */
export function admitsLevel({ era, logLevel }: Pick<Caller, "era" | "logLevel">, level: unknown): boolean {
  if (logLevel === undefined) return era === "legacy";
  return LOG_LEVELS.indexOf(level as LogLevel) >= LOG_LEVELS.indexOf(logLevel);
}

// Builds the params for a server: without what belongs to the hop between client and gateway.

/** Each hop has its own progress tokens and its own envelope. */
const HOP_META: ReadonlySet<string> = new Set([
  "progressToken",
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

interface StrippedParams {
  readonly params: JsonObject;
  /** The token under which the client wants progress. */
  readonly progressToken: RequestId | undefined;
}

/**
 * `task` asks for a task of 2025-11-25, which Onym does not offer, so it is ignored: the id of a task would come back, and no
 * request for that id would find it.
 */
export function stripMeta(params: JsonObject): StrippedParams {
  // The usual case, without a copy.
  if (params["_meta"] === undefined && params["task"] === undefined)
    return { params, progressToken: undefined };
  const { _meta: meta, task: _, ...rest } = params;
  if (!isJsonObject(meta)) return { params: rest, progressToken: undefined };
  const token = meta["progressToken"];
  const kept = Object.entries(meta).filter(([key]) => !HOP_META.has(key));
  return {
    params: kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) },
    progressToken: isRequestId(token) ? token : undefined,
  };
}

// Converts a server's reply to the caller's era: modern results name their type, legacy ones allow only
// objects as structured output.

interface AdaptInput {
  readonly method: string;
  readonly caller: Era;
  /** The era in which the server was asked. */
  readonly serverEra: Era;
  readonly serverInfo: JsonObject;
}

export function adaptReply(reply: Reply, { method, caller, serverEra, serverInfo }: AdaptInput): Reply {
  if (reply.kind === "json" || reply.kind === "bytes") return reply;
  if (caller === "modern") {
    if (reply.kind === "error") return notFoundAs(reply, CODES.resourceNotFound, CODES.invalidParams);
    return serverEra === "modern" && typeof shortMember(reply.result, "resultType") === "string"
      ? reply
      : completeReply(method, reply.result, serverInfo);
  }
  if (reply.kind === "error") return reply;
  return hasLegacyContent(reply) ? reply : changedReply(reply.result, { structuredContent: undefined });
}

/** Its structured output, if any, is an object. Only unparsed results are bytes. */
function hasLegacyContent({ result, text }: Extract<Reply, { readonly kind: "result" }>): boolean {
  if (typeof text === "object") return isObjectMember(result, "structuredContent") !== false;
  const content = ownValue(result, "structuredContent");
  return content === undefined || isJsonObject(content);
}

/** Adds what every modern result carries. */
export function completeReply(method: string, result: JsonObject, serverInfo: JsonObject): Reply {
  return changedReply(result, {
    resultType: "complete",
    ...(METHODS.get(method)?.isCacheable === true ? { ttlMs: 0, cacheScope: "private" } : {}),
    _meta: extendMember(result, "_meta", { [META.serverInfo]: serverInfo }),
  });
}

function notFoundAs(reply: Reply & { kind: "error" }, from: number, to: number): Reply {
  return reply.error.code === from ? { kind: "error", error: { ...reply.error, code: to } } : reply;
}
