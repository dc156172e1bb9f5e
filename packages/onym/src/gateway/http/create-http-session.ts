// One client that began with `initialize` over Streamable HTTP: its conversation, its streams, and when it was last heard.

import type { Notice, Question } from "../../downstream/downstream.js";
import type { RpcRequest } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { Log } from "../../model/log.js";
import type { Proof } from "../auth/authenticate.js";
import { holderOf } from "../auth/session-owner.js";
import type { Session } from "../caller.js";
import type { CallerHints, Front } from "../router.js";
import type { CallerShare } from "../sessions/create-quotas.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";
import { type Conversation, createConversation } from "../sessions/in-flight-requests.js";
import { sendNotice } from "../sessions/message-sink.js";
import type { Drain } from "./drain.js";
import { createStreamLog, type ResumableStream, type StreamLog } from "./responses/create-stream-log.js";
import { createSessionId } from "./session-id.js";

export interface HttpSession {
  /** The value of `Mcp-Session-Id`. */
  readonly id: string;
  /** Whose it is; nobody else may enter. */
  readonly holder: string;
  readonly session: Session;
  readonly conversation: Conversation;
  readonly streams: StreamLog;
  /** What its caller holds; the session is part of it. */
  readonly share: CallerShare;
  /** What belongs to no request; the client opens it with GET. */
  readonly standalone: ResumableStream;
  /** The client knows how to resume a stream from an event without data. */
  readonly resumes: boolean;
  /** On the clock that never jumps. */
  lastSeen: number;
  /** By what its caller is let in, and how to let go of that. */
  held: { readonly proof: Proof | undefined; readonly release: () => void } | undefined;
  /** Idempotent. */
  readonly close: () => void;
}

export interface Opened {
  readonly reply: Reply;
  readonly opened: HttpSession | undefined;
}

export interface HttpSessionOptions {
  readonly front: Front;
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

/** Begins a session, unless the front refuses. */
export async function createHttpSession(options: HttpSessionOptions): Promise<Opened> {
  const { front, limits, log, drain, request, hints, share, now } = options;
  const conversation = createConversation({ front, pending: limits.pending, log, drain, share });
  let standalone: ResumableStream | undefined;
  const outlet = {
    tell: (notice: Notice) => {
      if (standalone !== undefined) sendNotice(standalone, notice);
    },
    ask: (question: Question, signal: AbortSignal) =>
      conversation.ask(question, signal, {
        // A question nobody may ever fetch is better answered now.
        send: (json) => standalone?.isAttached() === true && standalone.send(json),
      }),
  };
  const { reply, session } = await front.initialize(request, { hints, outlet });
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
    front.leave(session);
    conversation.close();
    streams.close();
  };
  const opened: HttpSession = {
    id: createSessionId(),
    holder: holderOf(hints),
    session,
    conversation,
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
