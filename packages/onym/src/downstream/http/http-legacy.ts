// Streamable HTTP up to 2025-11-25: a session that begins with initialize, and a stream for messages that
// belong to no request.

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, formatReply, type Reply, type RpcRequest } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES } from "../../mcp/protocol.js";
import type { Handshake } from "../connection.js";
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
import { type Addressee, createInFlight, createServerRequests } from "../protocol/server-requests.js";
import type { HttpFailure } from "./http-client.js";
import type { HttpAnswer } from "./http-delivery.js";
import { type ReadReply, readReply } from "./http-exchange.js";
import type { HttpConnection, HttpConnectionOptions } from "./http-modern.js";
import { checkSession, createHttpSession, mayHaveLostSession } from "./http-session.js";
import { createServerStream } from "./server-stream.js";

export type OpenedLegacy =
  | { readonly kind: "open"; readonly handshake: Handshake; readonly side: HttpConnection }
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

export async function openLegacyHttp({
  client,
  context,
  onLost,
}: HttpConnectionOptions): Promise<OpenedLegacy> {
  const { label, limits, events, clientInfo, random } = context;
  const session = createHttpSession(client);
  const inFlight = createInFlight(context.clock);
  const serverRequests = createServerRequests({
    limit: limits.pending,
    onServerRequest: events.onServerRequest,
  });
  let lastId = 0;
  let renewing: Promise<boolean> | undefined;
  /** No request has succeeded in this session yet. */
  let isUnproven = false;
  let failure: HttpFailure | undefined;
  let status = 0;

  const lose = (lost: HttpFailure): void => {
    failure = lost;
    if (lost.unreachable) onLost(lost);
  };
  let posting = 0;
  /** Posts without waiting. Drops the message while too many posts are pending, so that nothing piles up. */
  const postSoon = (body: string): void => {
    if (posting >= limits.pending) return;
    posting += 1;
    void session.post(body).then((answer) => {
      posting -= 1;
      if (answer.kind === "answer") answer.body.drop();
    });
  };
  const notify = (method: string, params?: JsonObject): void =>
    postSoon(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  const answerRequest = (rpcRequest: RpcRequest, findAddressee: () => Addressee): void => {
    // Until it is answered, only the id is kept.
    const { id } = rpcRequest;
    serverRequests.answer(rpcRequest, findAddressee, (reply) => postSoon(formatReply(id, reply)));
  };
  const stream = createServerStream({
    session,
    context,
    withdraw: serverRequests.withdraw,
    onRequest: (rpcRequest) => answerRequest(rpcRequest, inFlight.addressee),
    addressee: inFlight.addressee,
    onLost: lose,
    onSessionGone: (gone) => void renew(gone),
    random,
  });

  const read = (
    answer: HttpAnswer,
    id: number,
    request: DownstreamRequest,
    onRead: (read: ReadReply) => void,
  ): void =>
    readReply({
      onRead,
      answer,
      id,
      request,
      context,
      onNotification: (notification) =>
        notification.method === "notifications/cancelled"
          ? serverRequests.withdraw(notification.params)
          : events.onNotification(notification),
      onRequest: (rpcRequest) =>
        answerRequest(rpcRequest, () =>
          isOwnRequest(request) ? { kind: "nobody", receiver: "anybody" } : { kind: "one", request },
        ),
    });

  const readLater = (answer: HttpAnswer, id: number, request: DownstreamRequest): Promise<ReadReply> =>
    new Promise((resolve) => read(answer, id, request, resolve));

  /** The common case; `exchangeAnyhow` covers the rest. */
  const exchange = (id: number, request: DownstreamRequest, signal: CancelSignal, finish: Finish): void => {
    const body = formatRequest(id, request);
    const fail = (error: unknown): void => finish(unwritable(error));
    if (renewing !== undefined || request.method === "initialize") {
      exchangeAnyhow(id, request, signal, body).then(finish, fail);
      return;
    }
    const before = session.id;
    const onRead = (outcome: ReadReply): void => {
      if (outcome.kind === "broken") {
        takeUp(outcome, id, request, signal).then(finish, fail);
        return;
      }
      isUnproven = false;
      finish(outcome.reply);
    };
    const onAnswer = (answer: HttpAnswer | HttpFailure): void => {
      if (answer.kind === "answer" && answer.status === 200) read(answer, id, request, onRead);
      else exchangeAnyhow(id, request, signal, body, { answer, before }).then(finish, fail);
    };
    session.post(body, signal).then(onAnswer).catch(fail);
  };
  const exchangeAnyhow = async (
    id: number,
    request: DownstreamRequest,
    signal: CancelSignal,
    body: string | Buffer,
    begun?: { readonly answer: HttpAnswer | HttpFailure; readonly before: string | undefined },
  ): Promise<Reply> => {
    const { method } = request;
    const noSession = () => errorReply(CODES.internal, `${label} ended the session and took no new one`);
    // Wait for the new session while one is being opened.
    if (begun === undefined && renewing !== undefined && method !== "initialize" && !(await renewing))
      return noSession();
    const before = begun === undefined ? session.id : begun.before;
    let answer = begun?.answer ?? (await session.post(body, signal));
    const isDoubtful = before !== undefined && method !== "initialize" && mayHaveLostSession(answer);
    const lost = isDoubtful ? await checkSession(answer, () => session.post(PING, signal)) : undefined;
    if (lost?.kind === "kept") answer = lost.answer;
    if (before !== undefined && lost?.kind === "gone") {
      if (!(await renew(before))) return noSession();
      // The server may have processed the call; sending it again could run it twice.
      if (!lost.isUntaken && METHODS.get(method)?.runsTool === true)
        return unanswered(request, `${label} answered HTTP 400 and ended the session; a new one has begun`);
      answer = await session.post(body, signal);
    }
    if (answer.kind === "failed") {
      lose(answer);
      return explainFailedRequest(request, label, answer);
    }
    status = answer.status;
    if (method === "initialize") session.begin(answer.header("mcp-session-id"));
    const outcome = await readLater(answer, id, request);
    if (outcome.kind === "broken") return takeUp(outcome, id, request, signal);
    if (method !== "initialize" && answer.status === 200) isUnproven = false;
    return outcome.reply;
  };
  /** Resumes a stream that broke before the reply, if possible. */
  const takeUp = async (
    broken: ReadReply,
    id: number,
    request: DownstreamRequest,
    signal: CancelSignal,
  ): Promise<Reply> => {
    let outcome = broken;
    for (let resumes = 0; outcome.kind === "broken"; resumes += 1) {
      const { lastEventId, retryMs = RESUME_MS } = outcome;
      if (lastEventId === undefined || resumes >= MAX_RESUMES || signal.aborted) break;
      await pause(Math.min(retryMs, 60_000), signal);
      const resumed = await session.resume(lastEventId, signal);
      if (resumed.kind === "failed" || resumed.status !== 200) break;
      const next = await readLater(resumed, id, request);
      outcome = next.kind === "broken" ? { ...next, lastEventId: next.lastEventId ?? lastEventId } : next;
    }
    if (outcome.kind === "broken") return brokenOff(request, label);
    if (request.method !== "initialize") isUnproven = false;
    return outcome.reply;
  };

  const rpcRequest = (request: DownstreamRequest): Promise<Reply> => {
    const ticket = inFlight.add(request);
    const begin: BeginRequest = (finish) => {
      lastId += 1;
      const id = lastId;
      const gone = createCancelSource();
      exchange(id, request, gone.signal, finish);
      return (why) => {
        gone.cancel();
        inFlight.abandon(ticket, request);
        if (request.method !== "initialize")
          notify("notifications/cancelled", { requestId: id, reason: why });
      };
    };
    return answerOnce(request, label, begin, () => {
      inFlight.remove(ticket);
    });
  };

  const initialize = async (bounds: {
    signal?: CancelSignal;
    timeoutMs?: number;
  }): Promise<ReadHandshake> => {
    const handshakeResult = readInitialized(
      await rpcRequest(buildOwnRequest("initialize", buildInitialize(clientInfo), bounds)),
    );
    if (handshakeResult.kind !== "handshake") return handshakeResult;
    session.agree(handshakeResult.handshake.revision);
    const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const accepted = await session.post(initialized, bounds.signal);
    if (accepted.kind === "answer") accepted.body.drop();
    return handshakeResult;
  };

  /** Once for all requests that found the session gone. */
  const renew = (gone: string): Promise<boolean> => {
    if (session.id !== gone) return renewing ?? Promise.resolve(session.id !== undefined);
    session.begin(undefined);
    if (isUnproven) {
      // The server ends every session it opens: retrying would loop forever.
      const reason = `${client.address} ended a session before it had answered anything in it`;
      onLost({
        kind: "failed",
        reason,
        hint: "It is tried again later.",
        unreachable: false,
        mayHaveRun: false,
      });
      return Promise.resolve(false);
    }
    isUnproven = true;
    renewing = initialize({ timeoutMs: limits.startMs }).then((handshakeResult) => {
      renewing = undefined;
      if (handshakeResult.kind !== "handshake") {
        const reason = `${client.address} ended the session and began no new one`;
        onLost({ kind: "failed", reason, hint: "It is tried again.", unreachable: false, mayHaveRun: false });
        return false;
      }
      stream.open();
      // It may be a new process with a different inventory.
      events.onNotification({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      return true;
    });
    return renewing;
  };

  const handshakeResult = await initialize({ signal: context.signal });
  if (handshakeResult.kind !== "handshake")
    return failure ?? { kind: "refused", read: handshakeResult, status };
  const needLevel = createLogLevel(handshakeResult.handshake.capabilities, (level) => {
    void rpcRequest(buildOwnRequest("logging/setLevel", { level }, { timeoutMs: limits.startMs }));
  });
  stream.open();
  return {
    kind: "open",
    handshake: handshakeResult.handshake,
    side: {
      notify,
      send: (request) => {
        needLevel(request.origin.logLevel);
        return rpcRequest(request);
      },
      close: async () => {
        stream.close();
        serverRequests.close();
        await session.end();
      },
    },
  };
}
