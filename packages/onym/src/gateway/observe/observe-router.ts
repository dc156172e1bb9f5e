// A router that counts, shows and logs its requests: the one place that reports the outcome of a request
// (OBS-1).

import type { RpcRequest } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { CallReport, CallSink } from "../../model/call-report.js";
import type { Log } from "../../model/log.js";
import type { Router } from "../router.js";
import { Observation } from "./observation.js";

export function observeRouter(router: Router, sinks: readonly CallSink[]): Router {
  const tell = (report: CallReport): void => {
    for (const sink of sinks) sink.ended(report);
  };
  return {
    ...router,
    handle(request: RpcRequest, caller, requestContext) {
      if (request.method === "ping") return router.handle(request, caller, requestContext);
      const { signal, notify, sendRequest, headers, span } = requestContext;
      const observed = new Observation(request, caller, span?.traceId);
      return router
        .handle(request, caller, { signal, notify, sendRequest, headers, span, observed })
        .then((reply: Reply) => {
          tell(observed.end(reply, signal.aborted));
          return reply;
        });
    },
  };
}

/**
 * Logs each refusal once, with its reason and the ids that find the request in the client's log and in a
 * trace.
 */
export function createRefusalLog(log: Log): CallSink {
  return {
    ended({ reason, outcome, method, request, trace, call, principal, client, sent, tool, rule }) {
      if (outcome !== "refused") return;
      log("info", "request refused", {
        reason: reason ?? "invalid",
        method,
        request,
        trace,
        call,
        caller: principal,
        client,
        name: sent,
        canonical: tool?.canonical,
        toolKey: tool?.key,
        rule,
      });
    },
  };
}
