// Bounds on what clients and downstreams may take, and what holds where the config says nothing.

export interface Limits {
  /** Bytes of one request of a client. */
  readonly requestBytes: number;
  /** Bytes of one message of a downstream. */
  readonly frameBytes: number;
  /** Entries of one list of a downstream, over all its pages. */
  readonly listEntries: number;
  /** Bytes of one entry of a list of a downstream. */
  readonly entryBytes: number;
  /** Bytes of one list of a downstream, over all its pages. */
  readonly listBytes: number;
  /** Bytes of all lists of a downstream together. */
  readonly serverBytes: number;
  /** From the start of a downstream until it is ready. */
  readonly startMs: number;
  /** How long a list waits for downstreams that are starting. */
  readonly listMs: number;
  /** How long a call may take. */
  readonly callMs: number;
  /** How long calls in flight may go on when Onym ends. */
  readonly drainMs: number;
  /** Sessions of clients at once. */
  readonly sessions: number;
  /** A session that is silent for so long is ended. */
  readonly sessionIdleMs: number;
  /** Requests in flight to one downstream; as many again wait for their turn. */
  readonly pending: number;
  /** Streams that clients hold open at once. */
  readonly streams: number;
  /** Sessions of one caller. */
  readonly callerSessions: number;
  /** Streams that one caller holds open at once. */
  readonly callerStreams: number;
  /** Requests of one caller that are not answered yet. */
  readonly callerPending: number;
  /** Questions to the clients of one caller that are not answered yet. */
  readonly callerQuestions: number;
  /** New aliases (`?as=`) that one caller may bring. */
  readonly callerAliases: number;
  /** Requests of one caller in a second. */
  readonly callerRate: number;
  /** HTTP connections at once. */
  readonly connections: number;
  /** Bytes that one connection may leave unread when more is to be sent on its stream. */
  readonly connectionUnreadBytes: number;
  /** Bytes that the connections of one caller may leave unread. */
  readonly callerUnreadBytes: number;
  /** Bytes that all connections together may leave unread. */
  readonly unreadBytes: number;
  /** A connection that leaves bytes unread and takes none for so long is ended. */
  readonly unreadMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  requestBytes: 4 * 1024 * 1024,
  frameBytes: 32 * 1024 * 1024,
  listEntries: 10_000,
  entryBytes: 256 * 1024,
  listBytes: 16 * 1024 * 1024,
  serverBytes: 32 * 1024 * 1024,
  startMs: 30_000,
  listMs: 10_000,
  callMs: 600_000,
  drainMs: 20_000,
  sessions: 1_000,
  sessionIdleMs: 1_800_000,
  pending: 1_024,
  streams: 1_024,
  callerSessions: 500,
  callerStreams: 256,
  callerPending: 512,
  callerQuestions: 64,
  callerAliases: 16,
  callerRate: 1_000,
  connections: 2_048,
  connectionUnreadBytes: 16 * 1024 * 1024,
  callerUnreadBytes: 128 * 1024 * 1024,
  unreadBytes: 512 * 1024 * 1024,
  unreadMs: 60_000,
};

/** The limits of a config: what it says, and the defaults for the rest. */
export function limitsOf(written: { readonly [K in keyof Limits]?: number | undefined } = {}): Limits {
  const said = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(said) };
}
