// A request of a caller to the downstream that can answer it, and the answer back, whatever eras the two speak (GW-5).

import type { Asker, Downstream, DownstreamId, Notice } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import { LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { Exchange } from "../router.js";
import { beginHop, endHop, withTrace } from "../tracing/trace-hop.js";
import { adaptReply } from "./adapt-reply.js";
import { nameAsker, nameAskers } from "./label-server-requests.js";
import { stripMeta } from "./strip-meta.js";
import type { ParkedCalls, ParkedExchange } from "./suspended-calls.js";

export interface ForwardPorts {
  readonly parked: ParkedCalls;
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
  readonly exchange: Exchange;
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  /** What the caller sent, where names were changed: what a parked call is known by. */
  readonly asSent: JsonObject;
}

export function forwardRequest(request: Forwarded, ports: ForwardPorts): Promise<Reply> {
  const { downstream, method, caller, exchange, asSent } = request;
  const { params, progressToken } = stripMeta(request.params);
  const spoken = downstream.eraFor(caller.era);
  const ask = (to: ParkedExchange, sent: JsonObject, answer: Asker["answer"]): Promise<Reply> => {
    const hop = exchange.span === undefined ? undefined : beginHop(exchange.span, request);
    const reply = downstream.ask({
      method,
      params: hop === undefined ? sent : withTrace(sent, hop),
      argumentsText: request.argumentsText,
      signal: to.signal,
      timeoutMs: ports.callMs,
      headers: request.headers,
      from: {
        id: caller.id,
        callerKey: caller.callerKey,
        capabilities: caller.capabilities,
        logLevel: caller.logLevel,
        wantsProgress: progressToken !== undefined,
        tell: to.tell,
        answer: answer && ((question, signal) => answer(nameAsker(question, downstream.id), signal)),
      },
    });
    return hop === undefined ? reply : endHop(hop, reply, to.signal);
  };
  /** A parked call is told of under the token of the exchange that attends it. */
  const to: ParkedExchange = {
    signal: exchange.signal,
    tell(notice) {
      const ready = noticeFor(notice, caller, progressToken);
      if (ready !== undefined) exchange.tell(ready);
    },
  };

  const adapt = { method, caller: caller.era, spoken, serverInfo: ports.serverInfo };
  if (caller.era === "legacy") return ask(to, params, exchange.ask).then((reply) => adaptReply(reply, adapt));
  if (spoken === "modern")
    return ask(to, params, undefined).then((reply) => adaptReply(named(reply, downstream.id), adapt));
  const subject = { method, params: asSent, principal: caller.principal, callerKey: caller.callerKey };
  const { requestState: state, inputResponses: _, ...plain } = params;
  if (typeof state === "string") return ports.parked.resume(subject, to, state);
  return ports.parked.begin(subject, to, async (parked) =>
    adaptReply(await ask(parked, plain, parked.answer), adapt),
  );
}

/** Nearly every reply stays as it came, text and all. */
function named(reply: Reply, id: DownstreamId): Reply {
  if (reply.kind !== "result") return reply;
  const result = nameAskers(reply.result, id);
  return result === reply.result ? reply : { kind: "result", result };
}

/** A notice as this caller gets it; `undefined` where it did not ask for such. */
function noticeFor(
  notice: Notice,
  caller: Caller,
  progressToken: string | number | undefined,
): Notice | undefined {
  if (notice.method === "notifications/progress") {
    if (progressToken === undefined) return undefined;
    return { method: notice.method, params: { ...notice.params, progressToken } };
  }
  if (notice.method === "notifications/message")
    return admitsLevel(caller, notice.params["level"]) ? notice : undefined;
  return notice;
}

/** Modern clients get log messages only when they name a level; older ones get them until they do. */
export function admitsLevel({ era, logLevel }: Pick<Caller, "era" | "logLevel">, level: unknown): boolean {
  if (logLevel === undefined) return era === "legacy";
  return LOG_LEVELS.indexOf(level as LogLevel) >= LOG_LEVELS.indexOf(logLevel);
}
