// JSON-RPC in both directions over one pipe: matches responses to requests, and passes notifications and
// server requests to their callers. Below it, the connection that a handshake over the pipe opens.

import { createTickets } from "../../mcp/fast-path/in-flight.js";
import { copyStart, type JsonObject, type MessageText } from "../../mcp/json.js";
import {
  errorReply,
  formatReply,
  type Reply,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
  withTrouble,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Connection, ConnectionContext, Handshake } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { addEnvelope, sendModernRequest } from "./modern-requests.js";
import { ArrivingMessages } from "./pace.js";
import { ProgressRelay } from "./progress-relay.js";
import { MAX_BATCH, readBatch } from "./read-batch.js";
import { buildInitialize, type ReadHandshake, readDiscovered, readInitialized } from "./read-handshake.js";
import {
  answerOnce,
  buildOwnRequest,
  ConnectionUse,
  createLogLevel,
  type Finish,
  formatRequest,
  toReply,
  unanswered,
} from "./request.js";
import {
  type AbandonedRequests,
  type Addressee,
  createAbandonedRequests,
  createServerRequests,
  findAddressee,
  type ServerRequests,
  unsolicitedReceiver,
} from "./server-requests.js";
import { createSubscriptions } from "./subscriptions.js";

export interface RpcChannel {
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  readonly notify: (method: string, params?: JsonObject) => void;
  /** A message as text, or as its bytes. */
  readonly receive: (text: string | Buffer) => void;
  /** Resolves when everything received is handled; `undefined` if it is. */
  readonly busy: () => Promise<void> | undefined;
  /** A parsed message, or a batch of them, and its text; `source`: as it was received. */
  readonly receiveValue: (value: unknown, text: MessageText | undefined, source: string | Buffer) => void;
  /** Input that is not a message. */
  readonly receiveGarbage: (shown: string) => void;
  /** Input that was not a message, for failure reasons. */
  readonly garbage: { readonly count: number; readonly first: string | undefined };
  /** The pipe has ended: every pending request gets an error. */
  readonly end: (reason: string) => void;
}

export interface RpcChannelOptions
  extends Pick<ConnectionContext, "label" | "limits" | "events" | "log" | "hide" | "clock" | "pace"> {
  /** Sends one message. `false` if too much is waiting to be sent. */
  readonly send: (text: string) => boolean;
}

interface Pending {
  readonly request: DownstreamRequest;
  readonly finish: (reply: Reply) => void;
  progress: ProgressRelay | undefined;
}

const GARBAGE_LOGGED = 5;

/** The interval between two log lines about answers that nobody waits for. */
const UNKNOWN_LOG_MS = 1_000;
/** Characters of their ids that are looked at. */
const MAX_SHOWN_ID = 64;

const RETRY_MS = 1_000;

/** Bytes of invalid input to show. */
const SHOWN_BYTES = 4_096;

export function createRpcChannel(options: RpcChannelOptions): RpcChannel {
  return new PipeChannel(options);
}

class PipeChannel implements RpcChannel {
  readonly garbage = { count: 0, first: undefined as string | undefined };
  readonly #options: RpcChannelOptions;
  readonly #pending = createTickets<Pending>();
  /** Of the last request that was sent. */
  #lastId = 0;
  readonly #abandoned: AbandonedRequests;
  readonly #use = new ConnectionUse();
  readonly #serverRequests: ServerRequests;
  readonly #arriving = new ArrivingMessages((parsed, source) => {
    const { pace } = this.#options;
    pace.count(source.length, source);
    if (parsed.ok) this.receiveValue(parsed.value, parsed.text, source);
    else this.receiveGarbage(startOf(source));
    pace.forget();
  });
  #unknownLoggedAt = Number.NEGATIVE_INFINITY;
  /** Answers that nobody waited for since the last log line about one. */
  #unknownSkipped = 0;
  /** Why the pipe has ended; `undefined` while it is open. */
  #endReason: string | undefined;

  constructor(options: RpcChannelOptions) {
    const { clock, limits, events } = options;
    this.#options = options;
    this.#abandoned = createAbandonedRequests(clock);
    this.#serverRequests = createServerRequests({
      limit: limits.pending,
      onServerRequest: events.onServerRequest,
    });
  }

  readonly send = (request: DownstreamRequest): Promise<Reply> => {
    if (this.#endReason !== undefined) return Promise.resolve(errorReply(CODES.internal, this.#endReason));
    return answerOnce(request, this.#options.label, (finish) => this.#begin(request, finish));
  };

  readonly notify = (method: string, params?: JsonObject): void => {
    if (this.#endReason === undefined)
      this.#options.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  };

  readonly receive = (text: string | Buffer): void => this.#arriving.push(text);

  readonly busy = (): Promise<void> | undefined => this.#arriving.busy;

  readonly receiveValue = (value: unknown, text: MessageText | undefined, source: string | Buffer): void => {
    if (!Array.isArray(value)) {
      this.#receiveOne(value, text, source);
      return;
    }
    if (value.length === 0) this.receiveGarbage(startOf(source));
    for (const message of readBatch(value, this.#options.pace)) this.#receiveOne(message, undefined, source);
    if (value.length > MAX_BATCH) this.receiveGarbage(`[a batch of ${value.length} messages]`);
  };

  readonly receiveGarbage = (shown: string): void => {
    const { pace, log, label, hide } = this.#options;
    pace.countUnsolicited();
    this.garbage.count += 1;
    this.garbage.first ??= copyStart(shown, 1000);
    if (this.garbage.count <= GARBAGE_LOGGED)
      log("debug", `${label} sent no message`, { line: () => hide(shown.slice(0, 1000)) });
  };

  readonly end = (reason: string): void => {
    const end = (): void => this.#end(reason);
    // Messages that have arrived completely are still delivered.
    if (this.#arriving.busy === undefined) end();
    else void this.#arriving.busy.then(end, end);
  };

  #end(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.#serverRequests.close();
    for (const pending of this.#pending.values()) {
      pending.progress?.end();
      pending.finish(unanswered(pending.request, reason));
    }
  }

  /** Sends a request. Returns the function that abandons it. */
  #begin(request: DownstreamRequest, finish: Finish): (why: string) => void {
    this.#use.note(request);
    const pending: Pending = { request, finish, progress: undefined };
    const id = this.#pending.take(pending);
    this.#lastId = id;
    let line: string;
    try {
      line = formatRequest(id, request).toString();
    } catch (error) {
      this.#pending.drop(id);
      throw error;
    }
    if (!this.#options.send(line)) {
      this.#pending.drop(id);
      // What filled it may be another caller's, so it says nothing of the server's health.
      const reply = errorReply(
        CODES.internal,
        `${this.#options.label} has too much to read; this request was not sent`,
        { retryAfterMs: RETRY_MS },
      );
      finish(withTrouble(reply, { kind: "unknown" }));
    }
    return (why) => {
      this.#pending.drop(id);
      pending.progress?.end();
      this.#abandoned.add(id, request);
      // The protocol forbids cancelling this one.
      if (request.method !== "initialize")
        this.notify("notifications/cancelled", { requestId: id, reason: why });
    };
  }

  #receiveOne(value: unknown, text: MessageText | undefined, source: string | Buffer): void {
    const read = readMessage(value, text);
    if (read.kind === "invalid") this.#receiveInvalid(value, read.id, source);
    else if (read.kind === "response") this.#receiveResponse(read.message);
    else if (read.kind === "notification") this.#receiveNotification(read.message);
    else this.#receiveRequest(read.message);
  }

  #receiveResponse(response: RpcResponse): void {
    const { id } = response;
    const waiting = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (typeof id === "number" && waiting !== undefined) {
      this.#finish(id, waiting, toReply(response, waiting.request, this.#options.label));
      return;
    }
    if (typeof id === "number") this.#abandoned.answered(id);
    this.#countFor(id);
    this.#logUnknown(id);
  }

  /** Once a second: answers may be late by the thousands. */
  #logUnknown(id: unknown): void {
    const { log, label, hide, clock } = this.#options;
    const now = clock.now();
    if (now - this.#unknownLoggedAt < UNKNOWN_LOG_MS) {
      this.#unknownSkipped += 1;
      return;
    }
    const skipped = this.#unknownSkipped;
    this.#unknownLoggedAt = now;
    this.#unknownSkipped = 0;
    log("debug", `${label} answered a request that does not wait`, {
      id: () => hide(String(id).slice(0, MAX_SHOWN_ID), MAX_SHOWN_ID),
      before: skipped === 0 ? undefined : `${skipped} more`,
    });
  }

  #receiveNotification(message: RpcNotification): void {
    const { method, params = {} } = message;
    if (method === "notifications/progress") this.#receiveProgress(params);
    else if (method === "notifications/message") this.#receiveLog(message, params);
    else {
      this.#options.pace.countUnsolicited();
      if (method === "notifications/cancelled") this.#serverRequests.withdraw(params);
      else this.#options.events.onNotification(message, "nobody");
    }
  }

  #receiveProgress(params: JsonObject): void {
    const token = params["progressToken"];
    this.#countFor(token);
    const waiting = typeof token === "number" ? this.#pending.get(token) : undefined;
    if (waiting?.request.origin.wantsProgress !== true) return;
    waiting.progress ??= new ProgressRelay(waiting.request.origin, this.#options.clock);
    waiting.progress.pass(params);
  }

  #receiveLog(message: RpcNotification, params: JsonObject): void {
    const { pace, events } = this.#options;
    pace.countDroppable();
    if (!pace.admitsLog()) return;
    const receiver = this.#findAddressee();
    if (receiver.kind === "one") receiver.request.origin.notify({ method: message.method, params });
    else events.onNotification(message, unsolicitedReceiver(receiver));
  }

  /** Counts a message about a request: one that was sent, or one that there never was. */
  #countFor(id: unknown): void {
    const { pace } = this.#options;
    if (typeof id === "number" && id > 0 && id <= this.#lastId) pace.countDroppable();
    else pace.countUnsolicited();
  }

  #receiveRequest(message: RpcRequest): void {
    this.#options.pace.countUnsolicited();
    // Until it is answered, only the id is kept.
    const { id } = message;
    this.#serverRequests.answer(message, this.#findAddressee, (reply) => {
      if (this.#endReason === undefined) this.#options.send(formatReply(id, reply));
    });
  }

  #receiveInvalid(value: unknown, id: number | string | null, source: string | Buffer): void {
    const waiting = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (id !== null && typeof (value as JsonObject)["method"] === "string") {
      this.#options.pace.countUnsolicited();
      this.#options.send(formatReply(id, errorReply(CODES.invalidRequest, "Invalid request")));
    } else if (typeof id === "number" && waiting !== undefined) {
      const { request } = waiting;
      const text = `${this.#options.label} answered ${request.method} with neither result nor error`;
      const what = "an answer with neither result nor error";
      this.#finish(id, waiting, withTrouble(unanswered(request, text), { kind: "failed", what }));
    } else this.receiveGarbage(startOf(source));
  }

  #finish(id: number, { finish, progress }: Pending, reply: Reply): void {
    this.#pending.drop(id);
    progress?.end();
    finish(reply);
  }

  readonly #findAddressee = (): Addressee =>
    findAddressee(
      this.#pending.values().map(({ request }) => request),
      { abandoned: this.#abandoned.callers(), receiver: this.#use.receiver },
    );
}

/** What is shown of input that is no message. */
function startOf(source: string | Buffer): string {
  return typeof source === "string" ? source : source.toString("utf8", 0, SHOWN_BYTES);
}

// The handshake over a pipe, and the resulting connection. One connection speaks one era, with one process
// (GW-1).

export type HandshakeResult = Exclude<ReadHandshake, { readonly kind: "other-era" }>;

/** Introduces Onym. A server that speaks only the modern era is addressed in it, over the same pipe. */
export async function performHandshake(
  channel: RpcChannel,
  { clientInfo, signal }: ConnectionContext,
): Promise<HandshakeResult> {
  const initialized = await channel.send(
    buildOwnRequest("initialize", buildInitialize(clientInfo), { signal }),
  );
  const legacy = readInitialized(initialized);
  if (legacy.kind !== "other-era") {
    if (legacy.kind === "handshake") channel.notify("notifications/initialized");
    return legacy;
  }
  const discover = buildOwnRequest("server/discover", {}, { signal });
  const reply = await channel.send({ ...discover, params: addEnvelope({}, discover.origin, clientInfo) });
  const modern = readDiscovered(reply);
  if (modern.kind === "handshake") return modern;
  const said = initialized.kind === "error" ? initialized.error.message : "an answer of another revision";
  return { kind: "refused", reason: `refused initialize: ${said}` };
}

export interface ChannelConnectionOptions {
  readonly channel: RpcChannel;
  readonly handshake: Handshake;
  readonly context: ConnectionContext;
  readonly close: () => Promise<void>;
}

/** The connection, and the handler for the notifications of its pipe from now on. */
export function createChannelConnection({ channel, handshake, context, close }: ChannelConnectionOptions): {
  readonly connection: Connection;
  readonly onNotification: ConnectionContext["events"]["onNotification"];
} {
  const { events, clientInfo, random } = context;
  if (handshake.era === "legacy") {
    const needLevel = createLogLevel(handshake.capabilities, (level) => {
      void channel.send(
        buildOwnRequest("logging/setLevel", { level }, { timeoutMs: context.limits.startMs }),
      );
    });
    const send = (request: DownstreamRequest): Promise<Reply> => {
      needLevel(request.origin.logLevel);
      return channel.send(request);
    };
    return {
      connection: { eras: ["legacy"], handshake, send, notify: channel.notify, close },
      onNotification: events.onNotification,
    };
  }
  const send = (request: DownstreamRequest): Promise<Reply> =>
    sendModernRequest(request, clientInfo, channel.send);
  const subscriptions = createSubscriptions({
    capabilities: handshake.capabilities,
    listen: (params, signal) => send(buildOwnRequest("subscriptions/listen", params, { signal })),
    random,
  });
  subscriptions.start();
  const connection: Connection = {
    eras: ["modern"],
    handshake,
    send: async (request) =>
      request.method === "resources/subscribe" || request.method === "resources/unsubscribe"
        ? subscriptions.follow(request.method, request.params)
        : send(request),
    // In the modern era clients send no notifications except cancellation.
    notify: () => {},
    close: () => {
      subscriptions.close();
      return close();
    },
  };
  const onNotification: ConnectionContext["events"]["onNotification"] = (notification, receiver) => {
    const accepted = subscriptions.accept(notification);
    if (accepted !== undefined) events.onNotification(accepted, receiver);
  };
  return { connection, onNotification };
}
