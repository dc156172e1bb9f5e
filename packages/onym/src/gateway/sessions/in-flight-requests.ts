// The requests of one client in flight, over any transport: its own by id, and those that servers send to it.
// Also when nothing new may start, because the gateway shuts down.

import type { ServerRequest } from "../../downstream/downstream.js";
import {
  type CancelSignal,
  createCancelSource,
  createTickets,
  toAbortSignal,
} from "../../mcp/fast-path/in-flight.js";
import {
  errorReply,
  isRequestId,
  type Reply,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  resultReply,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Log } from "../../model/log.js";
import type { Caller } from "../caller.js";
import { errorOf, type Refusal } from "../http/responses/refusal.js";
import type { RequestContext, Router } from "../router.js";
import type { CallerShare, HeldRequest } from "./edge-callers.js";
import { formatServerRequest, type MessageSink, sendNotification } from "./message-sink.js";

export interface InFlightRequests {
  /** Requests without a reply yet. */
  readonly count: number;
  /**
   * `onReply` is called once, and must not throw. It gets `undefined` if the request was cancelled or the
   * connection ended: no response is sent then. It is not called if the request is refused: too many in
   * flight, or the gateway is shutting down.
   */
  readonly handle: (
    asked: IncomingRequest,
    onReply: (reply: Reply | undefined) => void,
  ) => Refusal | undefined;
  readonly sendRequest: OutgoingRequests["send"];
  /** Handles `notifications/cancelled`. */
  readonly cancel: (notification: RpcNotification) => void;
  /** Handles the client's response to a server request. */
  readonly handleResponse: (response: RpcResponse) => void;
  /** Aborts all requests in flight. */
  readonly close: () => void;
}

interface IncomingRequest {
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes the messages that precede the reply. */
  readonly sink: MessageSink;
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The body that it came in; absent over stdio, which has one caller. */
  readonly held?: HeldRequest | undefined;
}

export interface InFlightRequestsOptions {
  readonly router: Router;
  /** Maximum requests in flight, in both directions. */
  readonly pending: number;
  readonly log: Log;
  readonly drain: Drain;
  /** The caller's quota on this connection and on others; absent over stdio, which has one caller. */
  readonly share?: CallerShare | undefined;
}

export function createInFlightRequests(options: InFlightRequestsOptions): InFlightRequests {
  const { router, pending, log, drain, share } = options;
  const outgoing = createOutgoingRequests(pending, share);
  // A client that reuses an id while it is in flight gets both replies, and cancels both.
  const running = createTickets<RunningRequest>();
  let inFlight = 0;
  let closed = false;

  return {
    get count() {
      return inFlight;
    },
    handle({ request, caller, sink, headers, held }, onReply) {
      if (closed) {
        onReply(undefined);
        return undefined;
      }
      const refusal = drain.refusal(request);
      if (refusal !== undefined) return refusal;
      if (inFlight >= pending) {
        onReply(errorReply(CODES.internal, `Too many requests at once: ${pending} are in flight`));
        return undefined;
      }
      if (share?.take("pending") === false) return share.refusal("pending");
      inFlight += 1;
      held?.keep();
      const run = runRequest({
        router,
        request,
        caller,
        sink,
        // A server request that belongs to a client request ends with it.
        sendRequest:
          caller.era === "modern"
            ? undefined
            : (serverRequest, asking, signal) =>
                outgoing.send(serverRequest, AbortSignal.any([asking, toAbortSignal(signal)]), sink),
        headers,
        held,
        log,
        onReply,
        // After `runRequest` has returned, so there is a ticket.
        onEnd: () => {
          running.drop(ticket);
          inFlight -= 1;
          share?.release("pending");
          held?.release();
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
    handleResponse: outgoing.handleResponse,
    close() {
      closed = true;
      outgoing.close();
      for (const run of running.values()) run.cancel();
    },
  };
}

// Requests to a client, with their own id space, and the responses to them.

interface OutgoingRequests {
  readonly send: (serverRequest: ServerRequest, signal: AbortSignal, sink: MessageSink) => Promise<Reply>;
  /** Handles the client's response; ignores one that matches no request. */
  readonly handleResponse: (response: RpcResponse) => void;
  /** Answers every open request with an error. */
  readonly close: () => void;
}

function createOutgoingRequests(limit: number, share?: CallerShare): OutgoingRequests {
  const open = new Map<string, (reply: Reply) => void>();
  let count = 0;
  let closed = false;

  return {
    send(serverRequest, signal, sink) {
      if (closed || signal.aborted) return Promise.resolve(gone());
      if (open.size >= limit) {
        return Promise.resolve(errorReply(CODES.internal, "Too many requests to the client are open"));
      }
      if (share?.take("serverRequests") === false)
        return Promise.resolve(errorOf(share.refusal("serverRequests")));
      const id = `onym-${++count}`;
      const answered = new Promise<Reply>((resolve) => {
        const respond = (reply: Reply) => {
          if (open.delete(id)) share?.release("serverRequests");
          signal.removeEventListener("abort", withdraw);
          resolve(reply);
        };
        const withdraw = () => {
          respond(gone());
          sendNotification(sink, { method: "notifications/cancelled", params: { requestId: id } });
        };
        open.set(id, respond);
        signal.addEventListener("abort", withdraw);
      });
      // Outside the closures above, which live until the answer: the request may be large.
      const json = formatServerRequest(id, serverRequest);
      if (json === undefined || !sink.send(json))
        open.get(id)?.(errorReply(CODES.internal, "The client cannot be asked: it has no stream open"));
      return answered;
    },
    handleResponse({ id, result, error }) {
      const respond = typeof id === "string" ? open.get(id) : undefined;
      if (respond === undefined) return;
      if (error !== undefined) respond({ kind: "error", error });
      else if (result !== undefined) respond(resultReply(result));
    },
    close() {
      closed = true;
      for (const respond of [...open.values()]) respond(gone());
    },
  };
}

function gone(): Reply {
  return errorReply(CODES.internal, "The request to the client was withdrawn, or the client is gone");
}

// One request through the router. It always gets exactly one reply, and sends nothing after it.

interface RequestRun {
  readonly router: Router;
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes the messages that precede the reply. */
  readonly sink: MessageSink;
  /** Sends a request to the client; the signal is that of the client's request. */
  readonly sendRequest: SendToClient | undefined;
  readonly whileAdmitted?: RequestContext["whileAdmitted"];
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly held: HeldRequest | undefined;
  readonly log: Log;
  // Both callbacks run after `runRequest` has returned, whatever the router does.
  /** Called once; must not throw. Gets `undefined` as soon as the request is cancelled: a later reply is ignored. */
  readonly onReply: (reply: Reply | undefined) => void;
  /** Called once: the router has finished, even if the request was cancelled long before. */
  readonly onEnd: () => void;
}

type SendToClient = (
  serverRequest: ServerRequest,
  asking: AbortSignal,
  signal: CancelSignal,
) => Promise<Reply>;

export interface RunningRequest {
  readonly id: RequestId;
  /** Does nothing after the reply. */
  readonly cancel: () => void;
}

/** Takes callbacks, because a promise for each request costs more than the rest of this function. */
export function runRequest(run: RequestRun): RunningRequest {
  const { request, sink, sendRequest: sendToClient, whileAdmitted, headers, held, onReply, onEnd } = run;
  let open = true;
  const source = createCancelSource();
  const { signal } = source;
  const requestContext: RequestContext = {
    signal,
    notify: (notification) => {
      if (open) sendNotification(sink, notification);
    },
    sendRequest:
      sendToClient === undefined
        ? undefined
        : (serverRequest, asking) => sendToClient(serverRequest, asking, signal),
    whileAdmitted,
    headers,
    held,
    span: undefined,
    observed: undefined,
  };
  const finish = (reply: Reply): void => {
    onEnd();
    if (!open) return;
    open = false;
    onReply(reply);
  };
  const fail = (error: unknown): void => {
    run.log("error", "a request failed inside the gateway", {
      method: request.method,
      error: String(error),
    });
    finish(errorReply(CODES.internal, "Internal error"));
  };
  try {
    run.router.handle(request, run.caller, requestContext).then(finish, fail);
  } catch (error) {
    // Not now: the callbacks run after this function has returned.
    queueMicrotask(() => fail(error));
  }
  return {
    id: request.id,
    cancel: () => {
      if (!open) return;
      open = false;
      source.cancel();
      onReply(undefined);
    },
  };
}

// How many requests of all clients are in flight, and how to wait for them before the gateway stops.

export interface PendingRequests {
  readonly begin: () => void;
  readonly end: () => void;
  readonly count: () => number;
  /** Resolves when nothing is in flight, or after `ms`, with the milliseconds left. */
  readonly drain: (ms: number) => Promise<number>;
}

export function createPendingRequests(): PendingRequests {
  let count = 0;
  const idle = new Set<() => void>();
  return {
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      if (count === 0) for (const wake of idle) wake();
    },
    count: () => count,
    async drain(ms) {
      const begun = performance.now();
      if (count > 0) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          idle.add(resolve);
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
      }
      return Math.max(0, ms - (performance.now() - begun));
    },
  };
}

// Before the gateway stops: requests in flight may finish, and nothing new starts (SAFE-5).

/** Another replica can answer at once; a restarting one needs a moment. */
const RETRY_MS = 1_000;

const DRAINING: Refusal = {
  code: "shutting-down",
  message: "The gateway is shutting down and takes no new requests. Nothing was run: send it again in 1 s.",
  data: { reason: "shutting-down", retryAfterMs: RETRY_MS },
  headers: { "retry-after": "1", connection: "close" },
};

/** Whether the gateway is about to stop, and what it refuses then. */
export class Drain {
  #isDraining = false;

  begin(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * The refusal for a request that would start something. Answers that a call in flight waits for are
   * accepted to the end.
   */
  refusal(request: RpcRequest): Refusal | undefined {
    return this.#isDraining && isNew(request) ? DRAINING : undefined;
  }

  /** The refusal for an HTTP+SSE stream, which is a session and not a JSON-RPC request. */
  get streamRefusal(): Refusal | undefined {
    return this.#isDraining ? DRAINING : undefined;
  }
}

function isNew({ method, params }: RpcRequest): boolean {
  // A request with a state continues a call that started here; no other replica knows it.
  return method !== "ping" && typeof params?.["requestState"] !== "string";
}
