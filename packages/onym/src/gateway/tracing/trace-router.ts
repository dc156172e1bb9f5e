// A router with tracing: each request gets a span, which travels in its context and ends with its reply.

import { isJsonObject } from "../../mcp/json.js";
import type { RpcRequest } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import type { Tracer } from "../../telemetry/create-tracer.js";
import type { Span } from "../../telemetry/span.js";
import { parseTraceContext, type TraceContext } from "../../telemetry/trace-context.js";
import type { Router } from "../router.js";
import { describeReply, describeRequest } from "./describe-request.js";

export function traceRouter(router: Router, tracer: Tracer): Router {
  // A span is named after its method, so only known ones are traced.
  const begin = (request: RpcRequest, headers: ReadonlyMap<string, string> | undefined): Span | undefined =>
    METHODS.get(request.method)?.isObserved === true
      ? tracer.begin(request.method, traceContextOf(request, headers))
      : undefined;
  return {
    ...router,
    async initialize(request, opening) {
      const { headers } = opening.hints;
      const span = begin(request, headers);
      const opened = await router.initialize(request, opening);
      if (span === undefined) return opened;
      const transport = headers.size === 0 ? "pipe" : "tcp";
      describeRequest(span, { request, caller: opened.session, transport });
      describeReply(span, opened.reply, { aborted: false });
      span.end();
      return opened;
    },
    handle(request, caller, requestContext) {
      const { signal, notify, sendRequest, whileAdmitted, headers, held, observed } = requestContext;
      const span = begin(request, headers);
      if (span === undefined) return router.handle(request, caller, requestContext);
      const traced = { signal, notify, sendRequest, whileAdmitted, headers, held, observed, span };
      return router.handle(request, caller, traced).then((reply) => {
        if (!span.isSampled) return reply;
        describeRequest(span, { request, caller, transport: headers === undefined ? "pipe" : "tcp" });
        describeReply(span, reply, signal);
        span.end();
        return reply;
      });
    },
  };
}

/** A trace context in the request's `_meta` comes before the HTTP headers: one connection may carry many senders. */
function traceContextOf(
  { params }: RpcRequest,
  headers: ReadonlyMap<string, string> | undefined,
): TraceContext | undefined {
  const meta = params?.["_meta"];
  const own = isJsonObject(meta) ? parseTraceContext(meta["traceparent"], meta["tracestate"]) : undefined;
  return own ?? parseTraceContext(headers?.get("traceparent"), headers?.get("tracestate"));
}
