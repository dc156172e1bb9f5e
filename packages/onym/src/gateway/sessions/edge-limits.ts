// What clients may take of the gateway at once: each caller its share, and all together.

export interface EdgeLimits {
  /** Bytes of one message: an HTTP body, or a line over stdio. */
  readonly requestBytes: number;
  /** Clients with a session at once (HTTP). */
  readonly sessions: number;
  /** A session without anything under way is dropped after so long. */
  readonly sessionIdleMs: number;
  /** Streams that stay open without a request of their own: GET, HTTP+SSE, subscriptions. */
  readonly streams: number;
  /** Requests under way in one session, and questions put to it. */
  readonly pending: number;
  /** Bytes of events kept per session for clients that resume a stream. */
  readonly replayBytes: number;
  /** Sessions of one caller. */
  readonly callerSessions: number;
  /** Streams of one caller. */
  readonly callerStreams: number;
  /** Requests of one caller that are in flight. */
  readonly callerPending: number;
  /** Questions to the clients of one caller that are not answered yet. */
  readonly callerQuestions: number;
  /** Requests of one caller in a second. */
  readonly callerRate: number;
  /** Bytes that one connection may leave unread when more is to be sent. */
  readonly connectionUnreadBytes: number;
  /** Bytes that the connections of one caller may leave unread. */
  readonly callerUnreadBytes: number;
  /** Bytes that all connections together may leave unread. */
  readonly unreadBytes: number;
  /** A connection that leaves bytes unread and takes none for so long is ended. */
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
