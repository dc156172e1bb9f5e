// What clients may take of the gateway at once.

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
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  requestBytes: 4 * 1024 * 1024,
  sessions: 1000,
  sessionIdleMs: 30 * 60_000,
  streams: 1024,
  pending: 256,
  replayBytes: 1024 * 1024,
};
