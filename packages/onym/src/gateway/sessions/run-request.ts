// One request through the router: it always comes to a reply, and nothing is sent for it after that.

import type { ServerRequest } from "../../downstream/downstream.js";
import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/cancel-signal.js";
import type { RequestId, RpcRequest } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import type { Caller } from "../caller.js";
import type { RequestContext, Router } from "../router.js";
import { type MessageSink, sendNotification } from "./message-sink.js";

export interface RequestRun {
  readonly router: Router;
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes what comes before the answer. */
  readonly sink: MessageSink;
  /** Puts a question to the client; the signal is that of the request. */
  readonly sendRequest: AskClient | undefined;
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly log: Log;
  /**
   * Called once, and never before the run is known to who began it: with `undefined` as soon as it is cancelled, because
   * the router may answer late then, and nobody waits for it. Must not throw.
   */
  readonly onReply: (reply: Reply | undefined) => void;
  /** The router has finished, even where the request was cancelled long before. */
  readonly onEnd: () => void;
}

type AskClient = (serverRequest: ServerRequest, asking: AbortSignal, signal: CancelSignal) => Promise<Reply>;

export interface RunningRequest {
  readonly id: RequestId;
  /** Does nothing once there is a reply. */
  readonly cancel: () => void;
}

/** With functions to call rather than promises to wait for: each of those costs a call more than what is done here. */
export function runRequest(run: RequestRun): RunningRequest {
  const { request, sink, sendRequest: ask, headers, onReply, onEnd } = run;
  let open = true;
  const source = createCancelSource();
  const { signal } = source;
  const requestContext: RequestContext = {
    signal,
    notify: (notification) => {
      if (open) sendNotification(sink, notification);
    },
    sendRequest:
      ask === undefined ? undefined : (serverRequest, asking) => ask(serverRequest, asking, signal),
    headers,
  };
  const settle = (reply: Reply): void => {
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
    settle(errorReply(CODES.internal, "Internal error"));
  };
  try {
    run.router.handle(request, run.caller, requestContext).then(settle, fail);
  } catch (error) {
    // Nobody knows of this run before it is returned.
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
