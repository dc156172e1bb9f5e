// A router that counts, shows and logs its requests: the one place that reports the outcome of a request
// (OBS-1).

import type { Reply, RpcRequest } from "../../mcp/message.js";
import type { CallReport, CallSink } from "../../model/call-report.js";
import type { Router } from "../router.js";
import { Observation } from "./observation.js";

export function observeRouter(router: Router, sinks: readonly CallSink[]): Router {
  const report = (report: CallReport): void => {
    for (const sink of sinks) sink.ended(report);
  };
  return {
    ...router,
    handle(request: RpcRequest, caller, requestContext) {
      if (request.method === "ping") return router.handle(request, caller, requestContext);
      const { signal, notify, sendRequest, headers, held, span } = requestContext;
      const observed = new Observation(request, caller, span?.traceId);
      return router
        .handle(request, caller, { signal, notify, sendRequest, headers, held, span, observed })
        .then((reply: Reply) => {
          report(observed.end(reply, signal.aborted));
          return reply;
        });
    },
  };
}
