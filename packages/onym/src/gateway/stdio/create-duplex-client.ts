// A client on one duplex connection: stdio, or the old HTTP+SSE transport. Messages in, messages out, both
// eras.

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
import { createInFlightRequests, type Drain, type InFlightRequests } from "../sessions/in-flight-requests.js";
import { type MessageSink, sendNotification } from "../sessions/message-sink.js";

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
  return new DuplexConnection(options);
}

class DuplexConnection implements DuplexClient {
  readonly #options: DuplexClientOptions;
  readonly #inFlight: InFlightRequests;
  readonly #listenings = new Map<string, OpenSubscription>();
  readonly #sink: MessageSink = { send: (json) => this.#send(json) };
  readonly #channel: ClientChannel = {
    notify: (notification) => sendNotification(this.#sink, notification),
    sendRequest: (serverRequest, signal) => this.#inFlight.sendRequest(serverRequest, signal, this.#sink),
  };
  #session: Session | undefined;
  /** The session is being opened; later messages wait for its reply. */
  #opening: Promise<void> | undefined;
  /** Set by the first modern request other than `server/discover`. */
  #modern = false;
  #closed = false;

  constructor(options: DuplexClientOptions) {
    const { router, limits, log, drain, share } = options;
    this.#options = options;
    this.#inFlight = createInFlightRequests({ router, pending: limits.pending, log, drain, share });
  }

  get inFlight(): number {
    return this.#inFlight.count;
  }

  // Messages of the client.

  take(value: unknown, source: MessageSource = {}): void {
    const { text, held } = source;
    if (this.#opening !== undefined) {
      held?.keep();
      this.#opening.then(() => {
        this.take(value, source);
        held?.release();
      });
      return;
    }
    if (this.#closed) return;
    if (Array.isArray(value)) {
      this.#takeBatch(value, source);
      return;
    }
    const read = readClientMessage(value, text);
    if (read.kind === "invalid") this.#send(invalid(read.id, read.reason));
    else this.takeMessage(read, held);
  }

  takeMessage(read: Message, held?: HeldRequest): void {
    if (this.#opening !== undefined) {
      this.#opening.then(() => this.takeMessage(read, held));
      return;
    }
    if (this.#closed) return;
    if (read.kind === "request") this.#takeRequest(read.message, held);
    else this.#takeOther(read);
  }

  async #takeBatch(
    batch: readonly unknown[],
    { held, countNext = () => undefined }: MessageSource,
  ): Promise<void> {
    const read = readClientBatch(batch, this.#session?.revision);
    if ("reason" in read) {
      this.#send(invalid(null, read.reason));
      return;
    }
    held?.keep();
    const answers = await answerBatch(read.messages, {
      answer: (request, finish) => this.#answerSafely(request, finish, held),
      accept: (other) => this.#takeOther(other),
      countNext,
    });
    held?.release();
    const joined = joinAnswers(answers);
    if (joined !== undefined) this.#send(joined);
  }

  #takeRequest(request: RpcRequest, held?: HeldRequest): void {
    const finish: Finish = (reply) => {
      if (reply !== undefined && !this.#closed) this.#send(formatMessage(request.id, reply));
    };
    this.#answerSafely(request, finish, held);
  }

  #takeOther(read: Exclude<Message, { kind: "request" }>): void {
    if (read.kind === "response") this.#inFlight.handleResponse(read.message);
    else this.#accept(read.message);
  }

  #accept(notification: RpcNotification): void {
    const { method, params = {} } = notification;
    if (method === "notifications/cancelled") {
      this.#inFlight.cancel(notification);
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      this.#listenings.get(keyOfId(id))?.stop();
      this.#listenings.delete(keyOfId(id));
    } else if (this.#session !== undefined)
      this.#options.router.handleNotification({ method, params }, this.#session);
  }

  // Answers. Each calls `finish` once, with `undefined` if there is no reply.

  #answerSafely(request: RpcRequest, finish: Finish, held?: HeldRequest): void {
    try {
      this.#answer(request, finish, held);
    } catch (error) {
      finish(this.#fail(error));
    }
  }

  #fail(error: unknown): Reply {
    this.#options.log("error", "a request failed at the edge", { error: String(error) });
    return errorReply(CODES.internal, "Internal error");
  }

  #answer(request: RpcRequest, finish: Finish, held?: HeldRequest): void {
    const { method, params } = request;
    const session = this.#session;
    if (session === undefined && this.#isModern(request)) this.#answerModern(request, finish, held);
    else if (this.#modern) finish(unsupportedRevision(textOf(params?.["protocolVersion"])));
    else if (method === "initialize") this.#open(request, finish);
    else if (session !== undefined) this.#converse({ request, caller: session, held }, finish);
    else if (method === "ping") finish(resultReply({}));
    else finish(errorReply(CODES.invalidRequest, "Invalid Request: send initialize first"));
  }

  /** Of a client without a session. */
  #isModern({ method, params }: RpcRequest): boolean {
    const begins = method === "initialize" && !isModernRequest(params);
    return this.#options.eras === "both" && !begins && (this.#modern || isEnveloped(params));
  }

  #open(request: RpcRequest, finish: Finish): void {
    this.#opening = this.#initialize(request)
      .catch((error: unknown) => this.#fail(error))
      .then((reply) => {
        finish(reply);
        this.#opening = undefined;
      });
  }

  async #initialize(request: RpcRequest): Promise<Reply> {
    const { router, hints, drain } = this.#options;
    if (this.#session !== undefined)
      return errorReply(CODES.invalidRequest, "Invalid Request: this connection is initialized already");
    const refusal = drain.refusal(request);
    if (refusal !== undefined) return errorOf(refusal);
    const { reply, session } = await router.initialize(request, { hints, channel: this.#channel });
    if (this.#closed && session !== undefined) router.closeSession(session);
    else this.#session = session;
    return reply;
  }

  #converse({ request, caller, held }: Conversed, finish: Finish): void {
    const refusal = this.#inFlight.handle(
      { request, caller, sink: this.#sink, headers: undefined, held },
      finish,
    );
    if (refusal !== undefined) finish(errorOf(refusal));
  }

  #answerModern(request: RpcRequest, finish: Finish, held?: HeldRequest): void {
    const refused = this.#beginModern(request);
    if (refused !== undefined) {
      finish(refused);
      return;
    }
    const caller = this.#options.router.identifyCaller(request, this.#options.hints);
    if (request.method === "subscriptions/listen") finish(this.#listen(request, caller));
    else this.#converse({ request, caller, held }, finish);
  }

  /** Returns the error if it is refused. */
  #beginModern({ method, params }: RpcRequest): Reply | undefined {
    const [problem] = checkEnvelope(metaOf(params) ?? {});
    if (problem !== undefined) return explainEnvelope(problem);
    const unsupported = refuseRevision(revisionOf(params));
    if (unsupported !== undefined) return unsupported;
    // A client that only probes the revisions may still choose an older one.
    if (method !== "server/discover") this.#modern = true;
    return method === "initialize"
      ? errorReply(CODES.methodNotFound, "Method not found: initialize")
      : undefined;
  }

  /** Returns the error if it is refused. */
  #listen(request: RpcRequest, caller: Caller): Reply | undefined {
    const { router, hints, limits, drain } = this.#options;
    const refusal = drain.refusal(request);
    if (refusal !== undefined) return errorOf(refusal);
    const refused = checkListen(request, router.roomToFollow(hints));
    if (refused !== undefined) return refused;
    const key = keyOfId(request.id);
    if (this.#listenings.has(key))
      return errorReply(CODES.invalidRequest, "Invalid Request: this id is in use");
    if (this.#listenings.size >= limits.streams)
      return errorReply(CODES.internal, "Too many subscriptions are open");
    this.#listenings.set(key, createSubscription({ router, request, caller, sink: this.#sink }));
    return undefined;
  }

  // The end.

  finish(): void {
    for (const listening of this.#listenings.values()) listening.finish();
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const listening of this.#listenings.values()) listening.stop();
    this.#listenings.clear();
    if (this.#session !== undefined) this.#options.router.closeSession(this.#session);
    this.#inFlight.close();
  }

  /** `false` if the connection has ended. */
  #send(json: FormattedMessage): boolean {
    if (!this.#closed) this.#options.send(json);
    return !this.#closed;
  }
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
