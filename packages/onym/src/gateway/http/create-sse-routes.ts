// The HTTP+SSE transport of 2024-11-05: a stream that names an endpoint, and messages POSTed to it.

import type { MessageText } from "../../mcp/json.js";
import { sessionOwnerOf } from "../auth/create-authenticator.js";
import { createDuplexClient, type DuplexClient } from "../stdio/create-duplex-client.js";
import { createSessionId, explainUnknownSession } from "./create-session-table.js";
import type { HttpExchange, RouteOptions } from "./http-exchange.js";
import { badRequest, busy, type Refusal } from "./responses/refusal.js";
import { writeNothing, writeRefusal } from "./responses/write-response.js";

export interface SseRoutes {
  /** GET: the stream, which is the session. */
  readonly open: (http: HttpExchange) => void;
  /** The problem with a session id, checked before the message is read. */
  readonly check: (http: HttpExchange, sessionId: string | undefined) => Refusal | undefined;
  /** POST: one message, or a batch. */
  readonly take: (
    http: HttpExchange,
    sessionId: string | undefined,
    value: unknown,
    text?: MessageText,
  ) => void;
  readonly close: () => void;
}

export function createSseRoutes(options: RouteOptions): SseRoutes {
  const { router, limits, writers, streams, admissions, drain, clock, log } = options;
  const clients = new Map<string, { readonly client: DuplexClient; readonly owner: string }>();

  const check = ({ hints }: HttpExchange, sessionId: string | undefined): Refusal | undefined => {
    if (sessionId === undefined) {
      return badRequest("Bad Request: sessionId is missing. Open GET /sse first.");
    }
    if (clients.get(sessionId)?.owner === sessionOwnerOf(hints)) return undefined;
    return {
      code: "session-not-found",
      message: explainUnknownSession(sessionId, "Open GET /sse again."),
    };
  };

  return {
    open({ res, hints, proof, share }) {
      const isFull = clients.size >= limits.sessions;
      const end = (): void => writer.end();
      const refusal =
        drain.streamRefusal ?? (isFull ? busy("Too many streams are open") : streams.take(share, end));
      if (refusal !== undefined) return writeRefusal(res, refusal);
      const id = createSessionId();
      const writer = writers.open({ res, callerKey: share.key }, () => {
        release();
        streams.release(share, end);
        clients.delete(id);
        client.close();
      });
      const release = admissions.hold(proof, "proof", end);
      const client = createDuplexClient({
        router,
        limits,
        hints,
        share,
        send: writer.send,
        log,
        drain,
        eras: "legacy",
      });
      clients.set(id, { client, owner: sessionOwnerOf(hints) });
      writer.frame(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
    },
    check,
    take(http, sessionId, value, text) {
      const refusal = check(http, sessionId);
      if (refusal !== undefined) return writeRefusal(http.res, refusal);
      clients.get(sessionId ?? "")?.client.take(value, {
        text,
        held: http.held,
        countNext: () => (http.isRated ? http.share.countRequest(clock.elapsed()) : undefined),
      });
      writeNothing(http.res, 202);
    },
    close() {
      for (const { client } of [...clients.values()]) client.close();
    },
  };
}
