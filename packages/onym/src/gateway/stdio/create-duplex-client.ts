// A client on one duplex connection: stdio, or the old HTTP+SSE transport. Messages in, messages out, both
// eras.

import type { Notification, ServerRequest } from "../../downstream/downstream.js";
import type { MessageText } from "../../mcp/json.js";
import {
  checkEnvelope,
  errorReply,
  explainEnvelope,
  formatReply,
  isEnveloped,
  isModernRequest,
  type Message,
  metaOf,
  type Reply,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  readClientMessage,
  refuseRevision,
  resultReply,
  revisionOf,
  unsupportedRevision,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Log } from "../../model/log.js";
import type { Caller, ClientChannel, Session } from "../caller.js";
import { readClientBatch } from "../http/requests/read-client-batch.js";
import { errorOf, type Refusal } from "../http/responses/refusal.js";
import type { FormattedMessage } from "../http/responses/sse-writer.js";
import { formatMessage } from "../http/responses/write-response.js";
import type { CallerHints, Router } from "../router.js";
import { answerBatch, joinAnswers } from "../sessions/answer-batch.js";
import { checkListen, createSubscription, type OpenSubscription } from "../sessions/create-subscription.js";
import type { CallerShare, HeldRequest } from "../sessions/edge-callers.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";
import { createInFlightRequests, type Drain } from "../sessions/in-flight-requests.js";
import { sendNotification } from "../sessions/message-sink.js";

export interface DuplexClient {
  /** Takes one parsed message, or a batch. */
  readonly take: (value: unknown, source?: MessageSource) => void;
  /** Takes one validated message. */
  readonly takeMessage: (message: Message) => void;
  /** Requests without a reply yet. */
  readonly inFlight: number;
  /** Ends open subscriptions with a result, then closes. */
  readonly finish: () => void;
  /** The client disconnected: aborts what is in flight. Idempotent. */
  readonly close: () => void;
}

/** What a message was read from. */
interface MessageSource {
  readonly text?: MessageText | undefined;
  /** The body that it came in; absent over stdio, which has one caller. */
  readonly held?: HeldRequest | undefined;
  /** Counts one more request of a batch; absent where nobody counts. */
  readonly countNext?: (() => Refusal | undefined) | undefined;
}

export interface DuplexClientOptions {
  readonly router: Router;
  readonly limits: EdgeLimits;
  readonly hints: CallerHints;
  /** The caller's quota, if the gateway has several callers. */
  readonly share?: CallerShare;
  readonly send: (json: FormattedMessage) => void;
  readonly log: Log;
  readonly drain: Drain;
  /** The old transport supports only sessions. */
  readonly eras: "both" | "legacy";
}

type Finish = (reply: Reply | undefined) => void;

interface Conversed {
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly held: HeldRequest | undefined;
}

export function createDuplexClient(options: DuplexClientOptions): DuplexClient {
  const { router, limits, hints, send, log, drain, eras, share } = options;
  const inFlight = createInFlightRequests({ router, pending: limits.pending, log, drain, share });
  const listenings = new Map<string, OpenSubscription>();
  const sink = {
    send: (json: FormattedMessage) => {
      if (!closed) send(json);
      return !closed;
    },
  };
  const channel: ClientChannel = {
    notify: (notification: Notification) => sendNotification(sink, notification),
    sendRequest: (serverRequest: ServerRequest, signal) => inFlight.sendRequest(serverRequest, signal, sink),
  };
  let session: Session | undefined;
  /** The session is being opened; later messages wait for its reply. */
  let opening: Promise<void> | undefined;
  /** Set by the first modern request other than `server/discover`. */
  let modern = false;
  let closed = false;

  /** Calls `finish` once, with `undefined` if there is no reply. */
  const answer = (request: RpcRequest, finish: Finish, held?: HeldRequest) => {
    const { method, params } = request;
    const begins = method === "initialize" && !isModernRequest(params);
    if (session === undefined && eras === "both" && !begins && (modern || isEnveloped(params)))
      return answerModern(request, finish, held);
    if (modern) return finish(unsupportedRevision(textOf(params?.["protocolVersion"])));
    if (method === "initialize") {
      opening = initialize(request)
        .catch(fail)
        .then((reply) => {
          finish(reply);
          opening = undefined;
        });
    } else if (session !== undefined) converse({ request, caller: session, held }, finish);
    else if (method === "ping") finish(resultReply({}));
    else finish(errorReply(CODES.invalidRequest, "Invalid Request: send initialize first"));
  };

  const converse = ({ request, caller, held }: Conversed, finish: Finish): void => {
    const refusal = inFlight.handle({ request, caller, sink, headers: undefined, held }, finish);
    if (refusal !== undefined) finish(errorOf(refusal));
  };

  const fail = (error: unknown): Reply => {
    log("error", "a request failed at the edge", { error: String(error) });
    return errorReply(CODES.internal, "Internal error");
  };
  const answerSafely = (request: RpcRequest, finish: Finish, held?: HeldRequest): void => {
    try {
      answer(request, finish, held);
    } catch (error) {
      finish(fail(error));
    }
  };

  const initialize = async (request: RpcRequest): Promise<Reply> => {
    if (session !== undefined) {
      return errorReply(CODES.invalidRequest, "Invalid Request: this connection is initialized already");
    }
    const refusal = drain.refusal(request);
    if (refusal !== undefined) return errorOf(refusal);
    const { reply, session: begun } = await router.initialize(request, { hints, channel });
    if (closed && begun !== undefined) router.closeSession(begun);
    else session = begun;
    return reply;
  };

  const answerModern = (request: RpcRequest, finish: Finish, held?: HeldRequest) => {
    const [problem] = checkEnvelope(metaOf(request.params) ?? {});
    if (problem !== undefined) return finish(explainEnvelope(problem));
    const unsupported = refuseRevision(revisionOf(request.params));
    if (unsupported !== undefined) return finish(unsupported);
    // A client that only probes the revisions may still choose an older one.
    if (request.method !== "server/discover") modern = true;
    if (request.method === "initialize")
      return finish(errorReply(CODES.methodNotFound, "Method not found: initialize"));
    const caller = router.identifyCaller(request, hints);
    if (request.method === "subscriptions/listen") finish(listen(request, caller));
    else converse({ request, caller, held }, finish);
  };

  /** Returns the error if it is refused. */
  const listen = (request: RpcRequest, caller: Caller): Reply | undefined => {
    const refusal = drain.refusal(request);
    if (refusal !== undefined) return errorOf(refusal);
    const refused = checkListen(request, router.roomToFollow(hints));
    if (refused !== undefined) return refused;
    const key = keyOfId(request.id);
    if (listenings.has(key)) return errorReply(CODES.invalidRequest, "Invalid Request: this id is in use");
    if (listenings.size >= limits.streams)
      return errorReply(CODES.internal, "Too many subscriptions are open");
    listenings.set(key, createSubscription({ router, request, caller, sink }));
    return undefined;
  };

  const accept = (notification: RpcNotification): void => {
    const { method, params = {} } = notification;
    if (method === "notifications/cancelled") {
      inFlight.cancel(notification);
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      listenings.get(keyOfId(id))?.stop();
      listenings.delete(keyOfId(id));
    } else if (session !== undefined) router.handleNotification({ method, params }, session);
  };

  const takeRequest = (request: RpcRequest, held?: HeldRequest): void =>
    answerSafely(
      request,
      (reply) => {
        if (reply !== undefined && !closed) send(formatMessage(request.id, reply));
      },
      held,
    );

  const takeOther = (read: Exclude<Message, { kind: "request" }>): void => {
    if (read.kind === "response") inFlight.handleResponse(read.message);
    else accept(read.message);
  };

  const takeBatch = async (
    batch: readonly unknown[],
    { held, countNext = () => undefined }: MessageSource,
  ): Promise<void> => {
    const read = readClientBatch(batch, session?.revision);
    if ("reason" in read) return void sink.send(invalid(null, read.reason));
    held?.keep();
    const answers = await answerBatch(read.messages, {
      answer: (request, finish) => answerSafely(request, finish, held),
      accept: takeOther,
      countNext,
    });
    held?.release();
    const joined = joinAnswers(answers);
    if (joined !== undefined) sink.send(joined);
  };

  const takeMessage = (read: Message, held?: HeldRequest): void => {
    if (opening !== undefined) return void opening.then(() => takeMessage(read, held));
    if (closed) return;
    if (read.kind === "request") takeRequest(read.message, held);
    else takeOther(read);
  };

  const take = (value: unknown, source: MessageSource = {}): void => {
    const { text, held } = source;
    if (opening !== undefined) {
      held?.keep();
      return void opening.then(() => {
        take(value, source);
        held?.release();
      });
    }
    if (closed) return;
    if (Array.isArray(value)) return void takeBatch(value, source);
    const read = readClientMessage(value, text);
    if (read.kind === "invalid") sink.send(invalid(read.id, read.reason));
    else takeMessage(read, held);
  };

  const close = () => {
    if (closed) return;
    closed = true;
    for (const listening of listenings.values()) listening.stop();
    listenings.clear();
    if (session !== undefined) router.closeSession(session);
    inFlight.close();
  };

  return {
    take,
    takeMessage,
    get inFlight() {
      return inFlight.count;
    },
    finish() {
      for (const listening of listenings.values()) listening.finish();
      close();
    },
    close,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function invalid(id: RequestId | null, reason: string): string {
  return formatReply(id, errorReply(CODES.invalidRequest, `Invalid Request: ${reason}`));
}

/** `"1"` and `1` are two ids. */
function keyOfId(id: RequestId): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}
