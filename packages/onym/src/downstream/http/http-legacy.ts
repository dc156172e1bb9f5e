// Streamable HTTP up to 2025-11-25: a session that begins with initialize, and a stream for messages that
// belong to no request.

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../../mcp/json.js";
import {
  errorReply,
  formatReply,
  type Reply,
  type RpcNotification,
  type RpcRequest,
} from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES, type LogLevel } from "../../mcp/protocol.js";
import type { ConnectionContext, Handshake } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { pause } from "../pause.js";
import { buildInitialize, type ReadHandshake, readInitialized } from "../protocol/read-handshake.js";
import {
  answerOnce,
  type BeginRequest,
  brokenOff,
  buildOwnRequest,
  createLogLevel,
  explainFailedRequest,
  type Finish,
  formatRequest,
  isOwnRequest,
  unanswered,
  unwritable,
} from "../protocol/request.js";
import {
  type Addressee,
  createInFlight,
  createServerRequests,
  type InFlight,
  type ServerRequests,
} from "../protocol/server-requests.js";
import type { HttpClient, HttpFailure } from "./http-client.js";
import type { HttpAnswer } from "./http-delivery.js";
import type { HttpConnection, HttpConnectionOptions } from "./http-modern.js";
import { PostQueue } from "./post-queue.js";
import { type ReadReply, readReply } from "./read-reply.js";
import {
  checkSession,
  createServerSession,
  mayHaveLostSession,
  type ServerSession,
} from "./server-session.js";
import { createServerStream, type ServerStream } from "./server-stream.js";

export type OpenedLegacy =
  | { readonly kind: "open"; readonly handshake: Handshake; readonly connection: HttpConnection }
  /** `status` if the server answered initialize with an HTTP error. */
  | {
      readonly kind: "refused";
      readonly read: Exclude<ReadHandshake, { kind: "handshake" }>;
      readonly status: number;
    }
  | HttpFailure;

/** Checks whether a session still exists. The reply is not matched, so any id will do. */
const PING = JSON.stringify({ jsonrpc: "2.0", id: "onym-session", method: "ping" });
const RESUME_MS = 1000;
const MAX_RESUMES = 20;

export function openLegacyHttp(options: HttpConnectionOptions): Promise<OpenedLegacy> {
  return new LegacyHttp(options).open();
}

/** A request on its way: what is needed to send it, and to read its reply. */
interface Outgoing {
  readonly id: number;
  readonly request: DownstreamRequest;
  readonly signal: CancelSignal;
  readonly body: string | Buffer;
}

/** How the server answered a POST, and the session in which it was sent. */
interface Posted {
  readonly answer: HttpAnswer | HttpFailure;
  readonly sessionId: string | undefined;
}

class LegacyHttp implements HttpConnection {
  readonly #client: HttpClient;
  readonly #context: ConnectionContext;
  readonly #onLost: (failure: HttpFailure) => void;
  readonly #session: ServerSession;
  readonly #inFlight: InFlight;
  readonly #serverRequests: ServerRequests;
  readonly #stream: ServerStream;
  #lastId = 0;
  readonly #posts: PostQueue;
  /** While a lost session is replaced: whether that succeeds. */
  #renewing: Promise<boolean> | undefined;
  /** The session is a renewed one, and no request has succeeded in it yet. */
  #awaitsFirstReply = false;
  /** How `initialize` ended, if it failed. */
  #failure: HttpFailure | undefined;
  #status = 0;
  #requestLogLevel: (wanted: LogLevel | undefined) => void = () => {};

  constructor({ client, context, onLost }: HttpConnectionOptions) {
    const { limits, events, clock, random, log, label } = context;
    this.#client = client;
    this.#context = context;
    this.#onLost = onLost;
    this.#session = createServerSession(client);
    this.#posts = new PostQueue({
      post: (body, signal) => this.#session.post(body, signal),
      clock,
      limit: limits.pending,
      onDropped: (dropped) => log("warn", `${label} does not take what it is sent in time`, { dropped }),
    });
    this.#inFlight = createInFlight(clock);
    this.#serverRequests = createServerRequests({
      limit: limits.pending,
      onServerRequest: events.onServerRequest,
    });
    this.#stream = createServerStream({
      session: this.#session,
      context,
      withdraw: this.#serverRequests.withdraw,
      onRequest: (rpcRequest) => this.#answerRequest(rpcRequest, this.#inFlight.addressee),
      addressee: this.#inFlight.addressee,
      onLost: (failure) => this.#lose(failure),
      onSessionGone: (gone) => void this.#renew(gone),
      random,
    });
  }

  async open(): Promise<OpenedLegacy> {
    const { limits, signal } = this.#context;
    const read = await this.#initialize({ signal });
    if (read.kind !== "handshake") return this.#failure ?? { kind: "refused", read, status: this.#status };
    const { handshake } = read;
    this.#requestLogLevel = createLogLevel(handshake.capabilities, (level) => {
      void this.#request(buildOwnRequest("logging/setLevel", { level }, { timeoutMs: limits.startMs }));
    });
    this.#stream.open();
    return { kind: "open", handshake, connection: this };
  }

  readonly send = (request: DownstreamRequest): Promise<Reply> => {
    this.#requestLogLevel(request.origin.logLevel);
    return this.#request(request);
  };

  readonly notify = (method: string, params?: JsonObject): void =>
    this.#posts.push(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));

  readonly close = async (): Promise<void> => {
    this.#stream.close();
    this.#serverRequests.close();
    this.#posts.close();
    await this.#session.end();
  };

  #request(request: DownstreamRequest): Promise<Reply> {
    const ticket = this.#inFlight.add(request);
    const begin: BeginRequest = (finish) => {
      this.#lastId += 1;
      const id = this.#lastId;
      const gone = createCancelSource();
      this.#exchange({ id, request, signal: gone.signal, body: formatRequest(id, request) }, finish);
      return (why) => {
        gone.cancel();
        this.#inFlight.abandon(ticket, request);
        if (request.method !== "initialize")
          this.notify("notifications/cancelled", { requestId: id, reason: why });
      };
    };
    return answerOnce(request, this.#context.label, begin, () => {
      this.#inFlight.remove(ticket);
    });
  }

  /** The common case, without a promise for each step; `#exchangeWithRecovery` covers the rest. */
  #exchange(outgoing: Outgoing, finish: Finish): void {
    const fail = (error: unknown): void => finish(unwritable(error));
    if (this.#renewing !== undefined || outgoing.request.method === "initialize") {
      this.#exchangeWithRecovery(outgoing).then(finish, fail);
      return;
    }
    const sessionId = this.#session.id;
    const onRead = (outcome: ReadReply): void => {
      if (outcome.kind === "broken") {
        this.#resumeReply(outcome, outgoing).then(finish, fail);
        return;
      }
      this.#awaitsFirstReply = false;
      finish(outcome.reply);
    };
    const onAnswer = (answer: HttpAnswer | HttpFailure): void => {
      if (answer.kind === "answer" && answer.status === 200) this.#read(answer, outgoing, onRead);
      else this.#exchangeWithRecovery(outgoing, { answer, sessionId }).then(finish, fail);
    };
    this.#session.post(outgoing.body, outgoing.signal).then(onAnswer).catch(fail);
  }

  /** Renews the session if the server no longer knows it. `posted` if the request was already sent. */
  async #exchangeWithRecovery(outgoing: Outgoing, posted?: Posted): Promise<Reply> {
    const { request, signal, body } = outgoing;
    const { method } = request;
    const { label } = this.#context;
    const noSession = () => errorReply(CODES.internal, `${label} ended the session and took no new one`);
    // Wait for the new session while one is being opened.
    if (posted === undefined && this.#renewing !== undefined && method !== "initialize")
      if (!(await this.#renewing)) return noSession();
    const sessionId = posted === undefined ? this.#session.id : posted.sessionId;
    let answer = posted?.answer ?? (await this.#session.post(body, signal));
    const isDoubtful = sessionId !== undefined && method !== "initialize" && mayHaveLostSession(answer);
    const lost = isDoubtful ? await checkSession(answer, () => this.#session.post(PING, signal)) : undefined;
    if (lost?.kind === "kept") answer = lost.answer;
    if (sessionId !== undefined && lost?.kind === "gone") {
      if (!(await this.#renew(sessionId))) return noSession();
      // The server may have processed the call; sending it again could run it twice.
      if (!lost.isUntaken && METHODS.get(method)?.runsTool === true)
        return unanswered(request, `${label} answered HTTP 400 and ended the session; a new one has begun`);
      answer = await this.#session.post(body, signal);
    }
    if (answer.kind === "failed") {
      this.#lose(answer);
      return explainFailedRequest(request, label, answer);
    }
    this.#status = answer.status;
    if (method === "initialize") this.#session.begin(answer.header("mcp-session-id"));
    const outcome = await this.#readLater(answer, outgoing);
    if (outcome.kind === "broken") return this.#resumeReply(outcome, outgoing);
    if (method !== "initialize" && answer.status === 200) this.#awaitsFirstReply = false;
    return outcome.reply;
  }

  /** Resumes a stream that broke before the reply, if possible. */
  async #resumeReply(broken: ReadReply, outgoing: Outgoing): Promise<Reply> {
    const { request, signal } = outgoing;
    let outcome = broken;
    for (let resumes = 0; outcome.kind === "broken"; resumes += 1) {
      const { lastEventId, retryMs = RESUME_MS } = outcome;
      if (lastEventId === undefined || resumes >= MAX_RESUMES || signal.aborted) break;
      await pause(Math.min(retryMs, 60_000), signal);
      const resumed = await this.#session.resume(lastEventId, signal);
      if (resumed.kind === "failed") break;
      if (resumed.status !== 200) {
        resumed.body.discard();
        break;
      }
      const next = await this.#readLater(resumed, outgoing);
      outcome = next.kind === "broken" ? { ...next, lastEventId: next.lastEventId ?? lastEventId } : next;
    }
    if (outcome.kind === "broken") return brokenOff(request, this.#context.label);
    if (request.method !== "initialize") this.#awaitsFirstReply = false;
    return outcome.reply;
  }

  #read(answer: HttpAnswer, { id, request }: Outgoing, onRead: (read: ReadReply) => void): void {
    readReply({
      onRead,
      answer,
      id,
      request,
      context: this.#context,
      onNotification: this.#onNotification,
      onRequest: (rpcRequest) =>
        this.#answerRequest(rpcRequest, () =>
          isOwnRequest(request) ? { kind: "nobody", receiver: "anybody" } : { kind: "one", request },
        ),
    });
  }

  #readLater(answer: HttpAnswer, outgoing: Outgoing): Promise<ReadReply> {
    return new Promise((resolve) => this.#read(answer, outgoing, resolve));
  }

  readonly #onNotification = (notification: RpcNotification): void => {
    if (notification.method === "notifications/cancelled") this.#serverRequests.withdraw(notification.params);
    else this.#context.events.onNotification(notification);
  };

  #answerRequest(rpcRequest: RpcRequest, findAddressee: () => Addressee): void {
    // Until it is answered, only the id is kept.
    const { id } = rpcRequest;
    this.#serverRequests.answer(rpcRequest, findAddressee, (reply) =>
      this.#posts.push(formatReply(id, reply)),
    );
  }

  async #initialize(bounds: { signal?: CancelSignal; timeoutMs?: number }): Promise<ReadHandshake> {
    const params = buildInitialize(this.#context.clientInfo);
    const read = readInitialized(await this.#request(buildOwnRequest("initialize", params, bounds)));
    if (read.kind !== "handshake") return read;
    this.#session.agree(read.handshake.revision);
    const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const signal = bounds.signal ?? AbortSignal.timeout(this.#context.limits.startMs);
    const accepted = await this.#session.post(initialized, signal);
    if (accepted.kind === "answer") accepted.body.discard();
    return read;
  }

  /** Once for all requests that found the session gone. */
  #renew(gone: string): Promise<boolean> {
    const { id } = this.#session;
    if (id !== gone) return this.#renewing ?? Promise.resolve(id !== undefined);
    this.#session.begin(undefined);
    const { address } = this.#client;
    if (this.#awaitsFirstReply) {
      // The server ends every session it opens: retrying would loop forever.
      this.#giveUp(
        `${address} ended a session before it had answered anything in it`,
        "It is tried again later.",
      );
      return Promise.resolve(false);
    }
    this.#awaitsFirstReply = true;
    this.#renewing = this.#initialize({ timeoutMs: this.#context.limits.startMs }).then((read) => {
      this.#renewing = undefined;
      if (read.kind !== "handshake") {
        this.#giveUp(`${address} ended the session and began no new one`, "It is tried again.");
        return false;
      }
      this.#stream.open();
      // It may be a new process with a different inventory.
      this.#context.events.onNotification({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      return true;
    });
    return this.#renewing;
  }

  #giveUp(reason: string, hint: string): void {
    this.#onLost({ kind: "failed", reason, hint, unreachable: false, mayHaveRun: false });
  }

  #lose(failure: HttpFailure): void {
    this.#failure = failure;
    if (failure.unreachable) this.#onLost(failure);
  }
}
