// The GET stream of a legacy HTTP server: notifications and requests that belong to no client request.
// Resumed when it breaks.

import type { JsonObject } from "../../mcp/json.js";
import { type RpcNotification, type RpcRequest, readMessage } from "../../mcp/message.js";
import { backoffMs } from "../backoff.js";
import type { ConnectionContext } from "../connection.js";
import { type Addressee, unsolicitedReceiver } from "../protocol/server-requests.js";
import type { HttpFailure } from "./http-client.js";
import { isEventStream, readAllMessages } from "./read-messages.js";
import type { ServerSession } from "./server-session.js";

export interface ServerStream {
  /** Opens it, or reopens it for a new session. */
  readonly open: () => void;
  readonly close: () => void;
}

export interface ServerStreamOptions {
  readonly session: ServerSession;
  readonly context: ConnectionContext;
  readonly onRequest: (request: RpcRequest) => void;
  readonly withdraw: (params: JsonObject | undefined) => void;
  /** Which client a log message can be meant for. */
  readonly addressee: () => Addressee;
  readonly onLost: (failure: HttpFailure) => void;
  /** The session of the stream has ended. */
  readonly onSessionGone: (id: string) => void;
  readonly random: () => number;
}

export function createServerStream(options: ServerStreamOptions): ServerStream {
  const { session, context, onRequest, withdraw, addressee, onLost, onSessionGone, random } = options;
  let stream: AbortController | undefined;
  let retry: NodeJS.Timeout | undefined;

  const { pace, events } = context;

  const acceptLog = (notification: RpcNotification): void => {
    const { method, params = {} } = notification;
    pace.countDroppable();
    if (!pace.admitsLog()) return;
    const receiver = addressee();
    if (receiver.kind === "one") receiver.request.origin.notify({ method, params });
    else events.onNotification(notification, unsolicitedReceiver(receiver));
  };
  const accept = (notification: RpcNotification): void => {
    const { method, params } = notification;
    if (method === "notifications/message") {
      acceptLog(notification);
      return;
    }
    pace.countUnsolicited();
    if (method === "notifications/cancelled") withdraw(params);
    // Progress is sent with the request that it is about.
    else if (method !== "notifications/progress") events.onNotification(notification, "nobody");
  };
  const onMessage = (value: unknown): boolean => {
    const read = readMessage(value);
    if (read.kind === "notification") accept(read.message);
    else {
      pace.countUnsolicited();
      if (read.kind === "request") onRequest(read.message);
    }
    return false;
  };

  const follow = async (own: AbortController, failures: number, lastEventId?: string): Promise<void> => {
    const { id } = session;
    const answer = await session.resume(lastEventId, own.signal);
    if (own.signal.aborted) return;
    let next: { failures: number; id: string | undefined; waitMs?: number | undefined };
    if (answer.kind === "failed") {
      if (answer.unreachable) return onLost(answer);
      next = { failures: failures + 1, id: lastEventId };
    } else if (answer.status !== 200 || !isEventStream(answer)) {
      answer.body.drop();
      if (answer.status === 404 && id !== undefined && failures > 0) return onSessionGone(id);
      // 405: the server has no such stream.
      if (answer.status < 500) return;
      next = { failures: failures + 1, id: lastEventId };
    } else {
      const end = await readAllMessages({
        answer,
        frameBytes: context.limits.frameBytes,
        pace: context.pace,
        clock: context.clock,
        onMessage,
      });
      if (own.signal.aborted) return;
      const ended = end.kind === "ended" ? end : undefined;
      next = { failures: 1, id: ended?.lastEventId ?? lastEventId, waitMs: ended?.retryMs };
    }
    const wait = Math.max(next.waitMs ?? 0, backoffMs(next.failures, random()));
    retry = setTimeout(() => void follow(own, next.failures, next.id), wait);
    retry.unref();
  };

  const close = (): void => {
    clearTimeout(retry);
    stream?.abort();
  };
  return {
    open: () => {
      close();
      stream = new AbortController();
      void follow(stream, 0);
    },
    close,
  };
}
