// What one client has under way, whatever the transport: its requests by id, and the questions put to it.

import type { ServerRequest } from "../../downstream/downstream.js";
import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import { createTickets } from "../../mcp/fast-path/tickets.js";
import {
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import type { Caller } from "../caller.js";
import type { Drain } from "../http/drain.js";
import type { Refusal } from "../http/responses/refusal.js";
import type { Router } from "../router.js";
import type { CallerShare } from "./create-quotas.js";
import type { MessageSink } from "./message-sink.js";
import { createOutgoingRequests } from "./outgoing-requests.js";
import { type RunningRequest, runRequest } from "./run-request.js";

export interface InFlightRequests {
  /** Requests that are not answered yet. */
  readonly count: number;
  /**
   * `onReply` is called once, and must not throw. It gets `undefined` when the request was cancelled or the inFlight
   * ended: there is no answer then. Not called where the request is refused: its caller has too many in flight, or the
   * gateway is shutting down.
   */
  readonly handle: (
    asked: IncomingRequest,
    onReply: (reply: Reply | undefined) => void,
  ) => Refusal | undefined;
  readonly sendRequest: (
    serverRequest: ServerRequest,
    signal: AbortSignal,
    sink: MessageSink,
  ) => Promise<Reply>;
  /** Takes `notifications/cancelled`. */
  readonly cancel: (notification: RpcNotification) => void;
  /** Takes the answer to a question. */
  readonly settle: (response: RpcResponse) => void;
  /** Aborts what is under way. */
  readonly close: () => void;
}

interface IncomingRequest {
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes what comes before the answer. */
  readonly sink: MessageSink;
  readonly headers: ReadonlyMap<string, string> | undefined;
}

export interface InFlightRequestsOptions {
  readonly router: Router;
  /** Requests and questions under way at once. */
  readonly pending: number;
  readonly log: Log;
  readonly drain: Drain;
  /** What the caller holds, in this inFlight and beside it; nobody shares a line over stdio. */
  readonly share?: CallerShare | undefined;
}

export function createInFlightRequests(options: InFlightRequestsOptions): InFlightRequests {
  const { router, pending, log, drain, share } = options;
  const outgoing = createOutgoingRequests(pending, share);
  // A client that uses an id twice at once gets both answers, and cancels both.
  const running = createTickets<RunningRequest>();
  let inFlight = 0;
  let closed = false;

  return {
    get count() {
      return inFlight;
    },
    handle({ request, caller, sink, headers }, onReply) {
      if (closed) {
        onReply(undefined);
        return undefined;
      }
      const refusal = drain.refusal(request);
      if (refusal !== undefined) return refusal;
      if (inFlight >= pending) {
        onReply(errorReply(CODES.internal, `Too many requests at once: ${pending} are under way`));
        return undefined;
      }
      if (share?.take("pending") === false) return share.refusal("pending");
      inFlight += 1;
      const run = runRequest({
        router,
        request,
        caller,
        sink,
        // A question about a request ends with the request.
        sendRequest:
          caller.era === "modern"
            ? undefined
            : (serverRequest, asking, signal) =>
                outgoing.send(serverRequest, AbortSignal.any([asking, toAbortSignal(signal)]), sink),
        headers,
        log,
        onReply,
        onEnd: () => {
          running.drop(ticket);
          inFlight -= 1;
          share?.release("pending");
        },
      });
      const ticket = running.take(run);
      return undefined;
    },
    sendRequest: outgoing.send,
    cancel({ params }) {
      const id = params?.["requestId"];
      if (!isRequestId(id)) return;
      for (const run of running.values()) if (run.id === id) run.cancel();
    },
    settle: outgoing.settle,
    close() {
      closed = true;
      outgoing.close();
      for (const run of running.values()) run.cancel();
    },
  };
}

/** `"1"` and `1` are two ids. */
export function keyOfId(id: RequestId): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}
