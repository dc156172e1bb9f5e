// Stateless requests (2026-07-28): each POST names its client, and ends with its reply.

import { createTickets } from "../../mcp/fast-path/in-flight.js";
import { errorReply, formatReply, type Reply, type RpcRequest } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import {
  checkListen,
  countResources,
  createSubscription,
  type OpenSubscription,
} from "../sessions/create-subscription.js";
import { type RunningRequest, runRequest } from "../sessions/in-flight-requests.js";
import type { HttpExchange, RouteOptions } from "./http-exchange.js";
import { type Accepted, parseAccept } from "./requests/read-request.js";
import {
  createPostResponse,
  failRequest,
  type PostResponse,
  writeJson,
  writeRefusal,
} from "./responses/write-response.js";

export interface ModernRoutes {
  readonly post: (http: HttpExchange, request: RpcRequest) => void;
  /** Ends subscriptions with a result, and aborts the rest. */
  readonly close: () => void;
}

export interface ModernRoutesOptions extends RouteOptions {
  /** The interval of keep-alive comments. A slower reply becomes a stream, which gets them. */
  readonly keepAliveMs: number;
}

const BOTH: Accepted = { json: true, stream: true };

export function createModernRoutes(options: ModernRoutesOptions): ModernRoutes {
  const { router, writers, streams, admissions, drain, clock, keepAliveMs, log } = options;
  const subscriptions = new Set<() => void>();
  const running = createTickets<RunningRequest>();

  const answer = (http: HttpExchange, request: RpcRequest): void => {
    const { res, headers, hints, proof, share, held } = http;
    const caller = router.identifyCaller(request, hints);
    if (!share.take("pending")) {
      writeRefusal(res, { ...share.refusal("pending"), id: request.id });
      return;
    }
    const accepted = parseAccept(headers.get("accept"));
    const post = createPostResponse({
      res,
      callerKey: share.key,
      accepted: accepted.json || accepted.stream ? accepted : BOTH,
      writers,
      log: undefined,
    });
    const stopWaiting = clock.after(keepAliveMs, () => void post.stream());
    held.keep();
    const run = runRequest({
      router,
      request,
      caller,
      sink: post,
      sendRequest: undefined,
      whileAdmitted: (end) => admissions.hold(proof, "caller", end),
      headers,
      held,
      log,
      // Both run after `runRequest` has returned, so there is a ticket, and something to release.
      onReply: (reply) => {
        stopWaiting();
        release();
        try {
          finish(
            post,
            request,
            reply ?? errorReply(CODES.internal, "The gateway has ended the request"),
            reply === undefined,
          );
        } catch (error) {
          failRequest(res, error, log);
        }
      },
      onEnd: () => {
        running.drop(ticket);
        share.release("pending");
        held.release();
      },
    });
    const ticket = running.take(run);
    const release = admissions.hold(proof, "caller", run.cancel);
    // Without a session the client cannot resume, so a disconnect cancels the request.
    res.once("close", run.cancel);
  };

  const listen = (http: HttpExchange, request: RpcRequest) => {
    const { res, hints, proof, share, isRated } = http;
    const refuse = (reply: Reply) => writeJson(res, statusOf(reply), formatReply(request.id, reply));
    const problem = checkListen(request, router.roomToFollow(hints));
    if (problem !== undefined) return refuse(problem);
    // Each resource is decided and recorded like a request of its own; the first is this request.
    const more = countResources(request) - 1;
    const tooFast = isRated && more > 0 ? share.countMore(clock.elapsed(), more) : undefined;
    if (tooFast !== undefined) return writeRefusal(res, { ...tooFast, id: request.id });
    let subscription: OpenSubscription | undefined;
    const end = () => {
      subscription?.finish();
      writer.end();
    };
    const refusal = streams.take(share, end);
    if (refusal !== undefined) return writeRefusal(res, { ...refusal, id: request.id });
    const writer = writers.open({ res, callerKey: share.key }, () => {
      release();
      streams.release(share, end);
      subscriptions.delete(end);
      subscription?.stop();
    });
    subscriptions.add(end);
    const release = admissions.hold(proof, "proof", end);
    const caller = router.identifyCaller(request, hints);
    subscription = createSubscription({ router, request, caller, sink: writer });
  };

  return {
    post(http, request) {
      const refusal = drain.refusal(request);
      if (refusal !== undefined) writeRefusal(http.res, { ...refusal, id: request.id });
      else if (request.method === "subscriptions/listen") listen(http, request);
      else if (request.method === "initialize") {
        const reply = errorReply(CODES.methodNotFound, "Method not found: initialize");
        writeJson(http.res, statusOf(reply), formatReply(request.id, reply));
      } else answer(http, request);
    },
    close() {
      for (const end of [...subscriptions]) end();
      for (const run of running.values()) run.cancel();
    },
  };
}

function finish(post: PostResponse, { id }: RpcRequest, reply: Reply, aborted: boolean): void {
  post.finishWith(id, reply, aborted ? 503 : statusOf(reply));
}

/** The HTTP status for the error codes that the protocol assigns one to. */
function statusOf(reply: Reply): number {
  if (reply.kind !== "error") return 200;
  switch (reply.error.code) {
    case CODES.methodNotFound:
      return 404;
    case CODES.headerMismatch:
    case CODES.missingCapability:
    case CODES.unsupportedRevision:
      return 400;
    default:
      return 200;
  }
}
