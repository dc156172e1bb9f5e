// What clients may use of the gateway at once: per caller and in total.

export interface EdgeLimits {
  /** Bytes of one message: an HTTP body, or a line over stdio. */
  readonly requestBytes: number;
  /** Open sessions (HTTP). */
  readonly sessions: number;
  /** A session with nothing in flight is dropped after this long. */
  readonly sessionIdleMs: number;
  /** Streams that stay open without a request of their own: GET, HTTP+SSE, subscriptions. */
  readonly streams: number;
  /** Requests in flight per session, in both directions. */
  readonly pending: number;
  /** Bytes of events kept per session for clients that resume a stream. */
  readonly replayBytes: number;
  /** Sessions per caller. */
  readonly callerSessions: number;
  /** Streams per caller. */
  readonly callerStreams: number;
  /** Requests in flight per caller. */
  readonly callerPending: number;
  /** Unanswered requests to the clients of one caller. */
  readonly callerQuestions: number;
  /** Requests per second and caller. */
  readonly callerRate: number;
  /** Unread bytes that one connection may have when more is to be sent. */
  readonly connectionUnreadBytes: number;
  /** Unread bytes of all connections of one caller. */
  readonly callerUnreadBytes: number;
  /** Unread bytes of all connections. */
  readonly unreadBytes: number;
  /** A connection with unread bytes is ended if it reads nothing for this long. */
  readonly unreadMs: number;
}

const MB = 1024 * 1024;

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  requestBytes: 4 * MB,
  sessions: 1000,
  sessionIdleMs: 30 * 60_000,
  streams: 1024,
  pending: 256,
  replayBytes: MB,
  callerSessions: 500,
  callerStreams: 256,
  callerPending: 512,
  callerQuestions: 64,
  callerRate: 1000,
  connectionUnreadBytes: 16 * MB,
  callerUnreadBytes: 128 * MB,
  unreadBytes: 512 * MB,
  unreadMs: 60_000,
};
