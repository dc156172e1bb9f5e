// Each limit in words: what it counts, and what becomes of what goes beyond it. Editors show this, and docs/limits.md.

import type { Limits } from "./limits.js";

interface LimitText {
  readonly counts: string;
  readonly beyond: string;
}

export const LIMIT_TABLE: { readonly [K in keyof Limits]: LimitText } = {
  requestBytes: {
    counts: "Bytes of one request of a client.",
    beyond: "HTTP 413, and the connection ends; over stdio error -32600, and the connection ends.",
  },
  frameBytes: {
    counts: "Bytes of one message of a server.",
    beyond: "A stdio or SSE server is taken down and tried again; over HTTP the one request fails.",
  },
  listEntries: {
    counts: "Entries of one list of a server, over all its pages.",
    beyond: "The rest of the list is left out, with a problem.",
  },
  entryBytes: {
    counts: "Bytes of one entry of a list of a server, as JSON.",
    beyond: "The entry is left out, with a problem that names it.",
  },
  listBytes: {
    counts: "Bytes of one list of a server, over all its pages.",
    beyond: "The rest of the list is left out, with a problem.",
  },
  serverBytes: {
    counts: "Bytes of all lists of a server together.",
    beyond: "The rest is left out, with a problem.",
  },
  startMs: {
    counts: "How long a server may take to start, and to list what it offers.",
    beyond: "The server is down, with the reason, and tried again; a later list keeps what was known.",
  },
  listMs: {
    counts: "How long a list waits for servers that are starting, once one is up.",
    beyond: "The list comes without them and names them in _meta; list_changed follows.",
  },
  callMs: {
    counts: "How long a call may take.",
    beyond: "The caller gets an error that says that the outcome is unknown; the server is told to cancel.",
  },
  drainMs: {
    counts: "How long calls in flight may go on when Onym ends.",
    beyond: "They are answered with an error that says that the outcome is unknown.",
  },
  sessions: {
    counts: "Sessions of clients at once.",
    beyond: "The busiest caller's idle session is closed; where all sessions are busy, HTTP 503.",
  },
  sessionIdleMs: {
    counts: "How long a session may be silent.",
    beyond: "It ends; its id is answered with HTTP 404.",
  },
  pending: {
    counts: "Requests in flight to one server.",
    beyond:
      "As many again wait, callers in turns; beyond that, the busiest caller gets an error with limit and retryAfterMs.",
  },
  streams: {
    counts: "Streams that clients hold open at once.",
    beyond: "The busiest caller's oldest stream ends; where no other caller has more, HTTP 503.",
  },
  callerSessions: {
    counts: "Sessions of one caller.",
    beyond: "Its session that was idle longest is closed; where all are busy, HTTP 429.",
  },
  callerStreams: {
    counts: "Streams that one caller holds open at once.",
    beyond: "HTTP 429 with Retry-After.",
  },
  callerPending: {
    counts: "Requests of one caller that are not answered yet.",
    beyond: "HTTP 429 with Retry-After.",
  },
  callerQuestions: {
    counts: "Questions to the clients of one caller that are not answered yet.",
    beyond: "The server that asks gets an error.",
  },
  callerAliases: {
    counts: "New aliases (?as=) that one caller may bring, each counted for every profile.",
    beyond: "Error -32602 that says so; aliases that are known go on.",
  },
  callerRate: {
    counts: "Requests of one caller in a second; without auth, those from this machine are not counted.",
    beyond: "HTTP 429 with Retry-After.",
  },
  connections: {
    counts: "HTTP connections at once; fewer where the process may open fewer files.",
    beyond: "The caller with most, else the address, gives up an idle one, else one whose request arrives.",
  },
  connectionUnreadBytes: {
    counts: "Bytes that a client may leave unread when more is to be sent on its stream.",
    beyond: "Its connection is ended, with a line in the log.",
  },
  callerUnreadBytes: {
    counts: "Bytes that all clients of one caller may leave unread.",
    beyond: "The connection with most of them is closed, with a line in the log.",
  },
  unreadBytes: {
    counts: "Bytes that all clients together may leave unread.",
    beyond: "The busiest caller's connection with most of them is closed, with a line in the log.",
  },
  unreadMs: {
    counts: "How long a client may leave bytes unread and take none.",
    beyond: "Its connection is ended, with a line in the log.",
  },
};
