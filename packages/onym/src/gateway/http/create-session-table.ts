// The sessions of an HTTP edge: opened by initialize, limited in number, found by id, dropped when idle.

import { randomBytes, randomUUID } from "node:crypto";
import type { Notification, ServerRequest } from "../../downstream/downstream.js";
import type { Reply, RpcRequest } from "../../mcp/message.js";
import { LEGACY_REVISIONS } from "../../mcp/protocol.js";
import { encodeUriText } from "../../model/encode-text.js";
import type { Log } from "../../model/log.js";
import type { Proof } from "../auth/authenticate.js";
import { sessionOwnerOf } from "../auth/create-authenticator.js";
import type { Session } from "../caller.js";
import type { CallerHints, Router } from "../router.js";
import type { CallerShare } from "../sessions/edge-callers.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";
import { createInFlightRequests, type Drain, type InFlightRequests } from "../sessions/in-flight-requests.js";
import { sendNotification } from "../sessions/message-sink.js";
import type { HttpExchange } from "./http-exchange.js";
import { createStreamLog, type ResumableStream, type StreamLog } from "./responses/create-stream-log.js";
import { badRequest, type Refusal } from "./responses/refusal.js";

export interface SessionTable {
  readonly size: number;
  readonly add: (session: HttpSession) => void;
  readonly find: (id: string) => HttpSession | undefined;
  readonly remove: (session: HttpSession) => void;
  /** Drops sessions that have been idle for too long. */
  readonly sweep: (now: number) => void;
  /**
   * Makes room among the sessions of one caller: drops one with nothing in flight, preferably one that was
   * never used, else the longest idle. `false` if all are busy.
   */
  readonly evictOwn: (caller: CallerShare, now: number) => boolean;
  /**
   * Makes room for a caller among all sessions: drops one with nothing in flight, from the caller with the
   * most of them. Otherwise a caller with more sessions than this one loses one that only listens. `false` if
   * all are busy.
   */
  readonly evictFor: (caller: CallerShare, now: number) => boolean;
  readonly close: () => void;
}

/** A client has this long between `initialize` and `notifications/initialized` before its session counts as never used. */
const HANDSHAKE_MS = 5_000;

export function createSessionTable(idleMs: number): SessionTable {
  const sessions = new Map<string, HttpSession>();
  const remove = (session: HttpSession) => {
    if (sessions.delete(session.id)) session.share.release("sessions");
    session.close();
  };
  const hasRequests = ({ inFlight }: HttpSession) => inFlight.count > 0;
  const isBusy = (session: HttpSession) => hasRequests(session) || session.standalone.isAttached();
  /** Picks one of the caller with the most: the longest idle, but those that were never used come first. */
  const removeOne = (candidates: readonly HttpSession[], now: number): boolean => {
    const wasUsed = ({ session, lastSeen }: HttpSession) => session.ready || now - lastSeen <= HANDSHAKE_MS;
    const [first] = candidates.toSorted(
      (a, b) =>
        b.share.sessions - a.share.sessions ||
        Number(wasUsed(a)) - Number(wasUsed(b)) ||
        a.lastSeen - b.lastSeen,
    );
    if (first !== undefined) remove(first);
    return first !== undefined;
  };
  return {
    get size() {
      return sessions.size;
    },
    add: (session) => void sessions.set(session.id, session),
    find: (id) => sessions.get(id),
    remove,
    sweep(now) {
      for (const session of [...sessions.values()]) {
        if (isBusy(session)) session.lastSeen = now;
        else if (now - session.lastSeen > idleMs) remove(session);
      }
    },
    evictOwn: (caller, now) =>
      removeOne(
        [...sessions.values()].filter((session) => session.share === caller && !isBusy(session)),
        now,
      ),
    evictFor(caller, now) {
      const all = [...sessions.values()];
      return (
        removeOne(
          all.filter((session) => !isBusy(session)),
          now,
        ) ||
        removeOne(
          all.filter((session) => !hasRequests(session) && session.share.sessions > caller.sessions + 1),
          now,
        )
      );
    },
    close() {
      for (const session of [...sessions.values()]) remove(session);
    },
  };
}

// Finds the session of a request, or the reason why there is none.

type SessionRequest = Pick<HttpExchange, "headers" | "hints">;

type Entered =
  | { readonly kind: "session"; readonly session: HttpSession }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Another caller's session gets the same reply as an unknown one. */
export function findSession(table: SessionTable, { headers, hints }: SessionRequest): Entered {
  const id = headers.get("mcp-session-id");
  if (id === undefined) {
    return refused(
      badRequest(
        "Bad Request: the Mcp-Session-Id header is required. Send initialize first. " +
          `A client of the older SSE transport connects to ${sseAddress(hints)} instead.`,
      ),
    );
  }
  const session = table.find(id);
  if (session === undefined || !session.isOwnedBy(hints)) {
    const message = explainUnknownSession(id, "Send initialize again.");
    return refused({ code: "session-not-found", message });
  }
  const version = headers.get("mcp-protocol-version");
  if (version === undefined || (LEGACY_REVISIONS as readonly string[]).includes(version.trim())) {
    return { kind: "session", session };
  }
  const supported = LEGACY_REVISIONS.join(", ");
  return refused(badRequest(`Bad Request: unsupported MCP-Protocol-Version (supported: ${supported})`));
}

/** The HTTP+SSE endpoint for the same names. */
function sseAddress({ profile, as }: HttpExchange["hints"]): string {
  const path = profile === undefined ? "/sse" : `/sse/${encodeUriText(profile.slice(0, MAX_SHOWN))}`;
  return as === undefined ? path : `${path}?as=${encodeUriText(as.slice(0, MAX_SHOWN))}`;
}

/** Maximum length of a quoted URL part, in characters. */
const MAX_SHOWN = 100;

function refused(refusal: Refusal): Entered {
  return { kind: "refused", refusal };
}

// One client that began with `initialize` over Streamable HTTP: its requests in flight, its streams, and when
// it was last active.

export interface HttpSession {
  /** The value of `Mcp-Session-Id`. */
  readonly id: string;
  /** Whether this caller owns the session; no other caller may use it. */
  readonly isOwnedBy: (caller: CallerHints) => boolean;
  readonly session: Session;
  readonly inFlight: InFlightRequests;
  readonly streams: StreamLog;
  /** The caller's quota, which includes this session. */
  readonly share: CallerShare;
  /** Messages that belong to no request; the client opens this stream with GET. */
  readonly standalone: ResumableStream;
  /** The client can resume a stream from an event without data. */
  readonly resumes: boolean;
  /** In monotonic time; set on any activity of the session. */
  lastSeen: number;
  /** The proof that admits its caller, and how to release it. */
  admission: { readonly proof: Proof | undefined; readonly release: () => void } | undefined;
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
  /** Monotonic time. */
  readonly elapsed: () => number;
}

const REPLAY_EVENTS = 1000;
/** With more sessions, a caller's sessions share the bytes of so many (SAFE-5). */
const REPLAY_SESSIONS = 32;
const RETRY_MS = 500;
/** The first revision whose clients expect an event without data. */
const PRIMING_REVISION = "2025-11-25";

/** Opens a session, unless the router refuses. */
export async function createHttpSession(options: HttpSessionOptions): Promise<Opened> {
  const { router, limits, log, drain, request, hints, share, elapsed } = options;
  const inFlight = createInFlightRequests({ router, pending: limits.pending, log, drain, share });
  let standalone: ResumableStream | undefined;
  const channel = {
    // With a stream open, or a request in flight, the client is there.
    idleMs: () =>
      standalone === undefined || standalone.isAttached() || inFlight.count > 0
        ? 0
        : Math.round(elapsed() - opened.lastSeen),
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
    bytes: () => limits.replayBytes / Math.max(1, share.sessions / REPLAY_SESSIONS),
    events: REPLAY_EVENTS,
    primed: resumes,
    retryMs: RETRY_MS,
  });
  const own = streams.open();
  standalone = own;
  const { principal, terms } = hints;
  const owner = sessionOwnerOf(hints);
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    opened.admission?.release();
    router.closeSession(session);
    inFlight.close();
    streams.close();
  };
  const opened: HttpSession = {
    id: createSessionId(),
    // Nearly every request proves its caller as the first one did.
    isOwnedBy: (caller) =>
      (caller.terms === terms && caller.principal === principal) || sessionOwnerOf(caller) === owner,
    session,
    inFlight,
    streams,
    share,
    standalone: own,
    resumes,
    lastSeen: elapsed(),
    admission: undefined,
    close,
  };
  return { reply, opened };
}

// Session ids: the gateway process that opened it, then an unguessable part.

/**
 * Identifies this process. Sessions live in memory: no replica and no earlier or later process knows them.
 */
const PROCESS = randomBytes(4).toString("hex");
const FORM = /^[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createSessionId(): string {
  return `${PROCESS}-${randomUUID()}`;
}

/** Why a session is unknown here, and what to do. `again` says how to start a new one. */
export function explainUnknownSession(id: string, again: string): string {
  if (!FORM.test(id) || id.startsWith(`${PROCESS}-`)) return `Session not found. ${again}`;
  return (
    "Session not found: another process of the gateway began it, a replica or one before a restart. " +
    `${again} Behind a load balancer, route all requests of a session to one replica.`
  );
}
