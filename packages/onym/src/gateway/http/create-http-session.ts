// One client that began with `initialize` over Streamable HTTP: its requests in flight, its streams, and when
// it was last active.

import type { Notification, ServerRequest } from "../../downstream/downstream.js";
import type { RpcRequest } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import type { Proof } from "../auth/authenticate.js";
import type { Session } from "../caller.js";
import type { CallerHints, Router } from "../router.js";
import { sessionOwnerOf } from "../sessions/caller-key.js";
import type { CallerShare } from "../sessions/create-quotas.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";
import { createInFlightRequests, type InFlightRequests } from "../sessions/in-flight-requests.js";
import { sendNotification } from "../sessions/message-sink.js";
import type { Drain } from "./drain.js";
import { createStreamLog, type ResumableStream, type StreamLog } from "./responses/create-stream-log.js";
import { createSessionId } from "./session-id.js";

export interface HttpSession {
  /** The value of `Mcp-Session-Id`. */
  readonly id: string;
  /** The caller that owns the session; no other caller may use it. */
  readonly holder: string;
  readonly session: Session;
  readonly inFlight: InFlightRequests;
  readonly streams: StreamLog;
  /** The caller's quota, which includes this session. */
  readonly share: CallerShare;
  /** Messages that belong to no request; the client opens this stream with GET. */
  readonly standalone: ResumableStream;
  /** The client can resume a stream from an event without data. */
  readonly resumes: boolean;
  /** In monotonic time. */
  lastSeen: number;
  /** The proof that admits its caller, and how to release it. */
  held: { readonly proof: Proof | undefined; readonly release: () => void } | undefined;
  /** Idempotent. */
  readonly close: () => void;
}

export interface Opened {
  readonly reply: Reply;
  readonly opened: HttpSession | undefined;
}

export interface HttpSessionOptions {
  readonly router: Router;
  readonly limits: EdgeLimits;
  readonly log: Log;
  readonly drain: Drain;
  readonly request: RpcRequest;
  readonly hints: CallerHints;
  readonly share: CallerShare;
  readonly now: number;
}

const REPLAY_EVENTS = 1000;
const RETRY_MS = 500;
/** The first revision whose clients expect an event without data. */
const PRIMING_REVISION = "2025-11-25";

/** Opens a session, unless the router refuses. */
export async function createHttpSession(options: HttpSessionOptions): Promise<Opened> {
  const { router, limits, log, drain, request, hints, share, now } = options;
  const inFlight = createInFlightRequests({ router, pending: limits.pending, log, drain, share });
  let standalone: ResumableStream | undefined;
  const channel = {
    notify: (notification: Notification) => {
      if (standalone !== undefined) sendNotification(standalone, notification);
    },
    sendRequest: (serverRequest: ServerRequest, signal: AbortSignal) =>
      inFlight.sendRequest(serverRequest, signal, {
        // Without an attached stream the client may never fetch the request, so fail it now.
        send: (json) => standalone?.isAttached() === true && standalone.send(json),
      }),
  };
  const { reply, session } = await router.initialize(request, { hints, channel });
  if (session === undefined) return { reply, opened: undefined };

  const resumes = session.revision >= PRIMING_REVISION;
  const streams = createStreamLog({
    bytes: limits.replayBytes,
    events: REPLAY_EVENTS,
    primed: resumes,
    retryMs: RETRY_MS,
  });
  const own = streams.open();
  standalone = own;
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    opened.held?.release();
    router.closeSession(session);
    inFlight.close();
    streams.close();
  };
  const opened: HttpSession = {
    id: createSessionId(),
    holder: sessionOwnerOf(hints),
    session,
    inFlight,
    streams,
    share,
    standalone: own,
    resumes,
    lastSeen: now,
    held: undefined,
    close,
  };
  return { reply, opened };
}
