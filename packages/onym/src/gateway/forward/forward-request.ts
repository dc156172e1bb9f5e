// A request of a caller to the downstream that can answer it, and the answer back, whatever eras the two speak (GW-5).

import type { Downstream, DownstreamId, Notification, RequestOrigin } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import { LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { RequestContext } from "../router.js";
import { beginHop, endHop, withTrace } from "../tracing/trace-hop.js";
import { adaptReply } from "./adapt-reply.js";
import { labelServerRequest, labelServerRequests } from "./label-server-requests.js";
import { stripMeta } from "./strip-meta.js";
import type { SuspendedCalls, SuspendedContext } from "./suspended-calls.js";

export interface ForwardPorts {
  readonly suspended: SuspendedCalls;
  readonly serverInfo: JsonObject;
  readonly callMs: number;
}

export interface Forwarded {
  readonly downstream: Downstream;
  readonly method: string;
  /** With the downstream's own names in them. */
  readonly params: JsonObject;
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** What the caller sent, where names were changed: what a suspended call is known by. */
  readonly asSent: JsonObject;
}

export function forwardRequest(request: Forwarded, ports: ForwardPorts): Promise<Reply> {
  const { downstream, method, caller, requestContext, asSent } = request;
  const { params, progressToken } = stripMeta(request.params);
  const spoken = downstream.eraFor(caller.era);
  const ask = (
    to: SuspendedContext,
    sent: JsonObject,
    answer: RequestOrigin["sendRequest"],
  ): Promise<Reply> => {
    const hop = requestContext.span === undefined ? undefined : beginHop(requestContext.span, request);
    const reply = downstream.send({
      method,
      params: hop === undefined ? sent : withTrace(sent, hop),
      argumentsText: request.argumentsText,
      signal: to.signal,
      timeoutMs: ports.callMs,
      headers: request.headers,
      origin: {
        id: caller.id,
        callerKey: caller.callerKey,
        capabilities: caller.capabilities,
        logLevel: caller.logLevel,
        wantsProgress: progressToken !== undefined,
        notify: to.notify,
        sendRequest:
          answer &&
          ((serverRequest, signal) => answer(labelServerRequest(serverRequest, downstream.id), signal)),
      },
    });
    return hop === undefined ? reply : endHop(hop, reply, to.signal);
  };
  /** A suspended call is told of under the token of the request that attends it. */
  const to: SuspendedContext = {
    signal: requestContext.signal,
    notify(notification) {
      const ready = notificationFor(notification, caller, progressToken);
      if (ready !== undefined) requestContext.notify(ready);
    },
  };

  const adapt = { method, caller: caller.era, spoken, serverInfo: ports.serverInfo };
  if (caller.era === "legacy")
    return ask(to, params, requestContext.sendRequest).then((reply) => adaptReply(reply, adapt));
  if (spoken === "modern")
    return ask(to, params, undefined).then((reply) => adaptReply(named(reply, downstream.id), adapt));
  const subject = { method, params: asSent, principal: caller.principal, callerKey: caller.callerKey };
  const { requestState: state, inputResponses: _, ...plain } = params;
  if (typeof state === "string") return ports.suspended.resume(subject, to, state);
  return ports.suspended.begin(subject, to, async (suspended) =>
    adaptReply(await ask(suspended, plain, suspended.answer), adapt),
  );
}

/** Nearly every reply stays as it came, text and all. */
function named(reply: Reply, id: DownstreamId): Reply {
  if (reply.kind !== "result") return reply;
  const result = labelServerRequests(reply.result, id);
  return result === reply.result ? reply : { kind: "result", result };
}

/** A notification as this caller gets it; `undefined` where it did not ask for such. */
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

/** Modern clients get log messages only when they name a level; older ones get them until they do. */
export function admitsLevel({ era, logLevel }: Pick<Caller, "era" | "logLevel">, level: unknown): boolean {
  if (logLevel === undefined) return era === "legacy";
  return LOG_LEVELS.indexOf(level as LogLevel) >= LOG_LEVELS.indexOf(logLevel);
}
