// Clients with a session over Streamable HTTP (2025-03-26 to 2025-11-25): POST, GET and DELETE.

import { errorReply, type Message, type Reply, type RequestId, type RpcRequest } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { sessionOwnerOf } from "../auth/create-authenticator.js";
import type { CallerShare } from "../sessions/edge-callers.js";
import {
  createHttpSession,
  createSessionTable,
  findSession,
  type HttpSession,
} from "./create-session-table.js";
import type { HttpExchange, RouteOptions } from "./http-exchange.js";
import { readBatch } from "./requests/read-batch.js";
import { type Accepted, parseAccept } from "./requests/read-request.js";
import { badRequest, busy, errorOf, type Refusal } from "./responses/refusal.js";
import {
  createPostResponse,
  failRequest,
  formatResponse,
  settleWork,
  writeNothing,
  writeRefusal,
} from "./responses/write-response.js";

export interface LegacyRoutes {
  readonly post: (http: HttpExchange, read: Message) => void;
  readonly postBatch: (http: HttpExchange, batch: readonly unknown[]) => void;
  readonly get: (http: HttpExchange) => void;
  readonly delete: (http: HttpExchange) => void;
  readonly sweep: () => void;
  readonly close: () => void;
}

export interface LegacyRoutesOptions extends RouteOptions {
  /** A slower reply becomes a stream, if the client can resume one. */
  readonly patienceMs: number;
}

export function createLegacyRoutes(options: LegacyRoutesOptions): LegacyRoutes {
  const { router, limits, writers, streams, admissions, drain, clock, patienceMs, log } = options;
  const table = createSessionTable(limits.sessionIdleMs);
  let opening = 0;
  let closed = false;

  /** Ties the session to the latest proof of its caller. */
  const keep = (session: HttpSession, proof: HttpExchange["proof"]): void => {
    if (session.held?.proof === proof) return;
    session.held?.release();
    const release = admissions.hold(proof, "caller", () => table.remove(session));
    session.held = { proof, release };
  };

  /** The session of a request; refuses the request if there is none. */
  const enter = (http: HttpExchange, id: RpcRequest["id"] | null = null): HttpSession | undefined => {
    const found = findSession(table, http);
    if (found.kind === "refused") {
      writeRefusal(http.res, { ...found.refusal, id });
      return undefined;
    }
    table.touch(found.session, clock.elapsed());
    keep(found.session, http.proof);
    return found.session;
  };

  /** At its own limit, a caller loses one of its own sessions; the global limit is shared fairly. */
  const makeRoom = (share: CallerShare): Refusal | undefined => {
    if (!share.hasRoom("sessions") && !table.evictOwn(share, clock.elapsed()))
      return share.refusal("sessions");
    const isFull = (): boolean => table.size + opening >= limits.sessions;
    if (isFull()) table.sweep(clock.elapsed());
    return isFull() && !table.evictFor(share, clock.elapsed())
      ? busy("Too many sessions are open")
      : undefined;
  };

  const initialize = async (
    { res, headers, hints, proof, share }: HttpExchange,
    request: RpcRequest,
    accepted: Accepted,
  ): Promise<void> => {
    const { id } = request;
    if (table.find(headers.get("mcp-session-id") ?? "")?.owner === sessionOwnerOf(hints)) {
      const message = "Invalid Request: this session is initialized already";
      return writeRefusal(res, { code: "invalid-request", message, id });
    }
    const draining = drain.refusal(request);
    if (draining !== undefined) return writeRefusal(res, { ...draining, id });
    const refusal = makeRoom(share);
    if (refusal !== undefined) {
      log("warn", "a client was refused: too many sessions", {
        caller: share.shown,
        own: share.sessions,
        sessions: table.size,
      });
      return writeRefusal(res, { ...refusal, id });
    }
    share.take("sessions");
    opening += 1;
    const { reply, opened } = await createHttpSession({
      router,
      limits,
      log,
      drain,
      request,
      hints,
      share,
      elapsed: clock.elapsed,
    }).finally(() => {
      opening -= 1;
    });
    if (opened === undefined) share.release("sessions");
    if (opened !== undefined) {
      // The client would never learn the session id.
      if (closed || res.destroyed) {
        share.release("sessions");
        opened.close();
        return writeRefusal(res, { ...busy("The gateway is shutting down"), id });
      }
      table.add(opened);
      keep(opened, proof);
      res.setHeader("mcp-session-id", opened.id);
    }
    createPostResponse({ res, accepted, writers, log: undefined }).finish(formatResponse(id, reply));
  };

  const answer = (http: HttpExchange, entered: HttpSession, request: RpcRequest, accepted: Accepted) => {
    const { res, headers, held } = http;
    const { inFlight, session, resumes } = entered;
    const post = createPostResponse({ res, accepted, writers, log: entered.streams });
    const stopWaiting = resumes ? clock.after(patienceMs, () => void post.stream()) : undefined;
    const refusal = inFlight.handle({ request, caller: session, sink: post, headers, held }, (reply) => {
      stopWaiting?.();
      entered.lastSeen = clock.elapsed();
      try {
        if (reply !== undefined) post.finishWith(request.id, reply);
        else if (table.find(entered.id) !== undefined) post.abandon();
        else writeRefusal(res, { ...ENDED, id: request.id });
      } catch (error) {
        failRequest(res, error, log);
      }
    });
    if (refusal === undefined) return;
    stopWaiting?.();
    writeRefusal(res, { ...refusal, id: request.id });
  };

  const answerBatch = async (
    http: HttpExchange,
    entered: HttpSession,
    requests: readonly RpcRequest[],
    accepted: Accepted,
  ) => {
    const { res, headers, held, share, isRated } = http;
    const { inFlight, session, resumes } = entered;
    const post = createPostResponse({ res, accepted, writers, log: entered.streams });
    const stopWaiting = resumes ? clock.after(patienceMs, () => void post.stream()) : () => {};
    let bytes = 0;
    let isFull = false;
    const format = (id: RequestId, reply: Reply): string => {
      const text = formatResponse(id, reply);
      isFull ||= bytes + text.length > MAX_BATCH_BYTES;
      if (isFull) return formatResponse(id, TOO_MUCH_FOR_A_BATCH);
      bytes += text.length;
      return text;
    };
    const answerOne = (request: RpcRequest): Promise<string | undefined> =>
      new Promise((resolve) => {
        const refusal = inFlight.handle({ request, caller: session, sink: post, headers, held }, (reply) =>
          resolve(reply === undefined ? undefined : format(request.id, reply)),
        );
        if (refusal !== undefined) resolve(format(request.id, errorOf(refusal)));
      });
    const answers: (string | undefined | Promise<string | undefined>)[] = [];
    for (const [index, request] of requests.entries()) {
      // The first was counted when it arrived.
      const tooFast = isRated && index > 0 ? share.countRequest(clock.elapsed()) : undefined;
      if (isFull) answers.push(formatResponse(request.id, TOO_MUCH_FOR_A_BATCH));
      else answers.push(tooFast === undefined ? answerOne(request) : format(request.id, errorOf(tooFast)));
      // As many turns as if they had come one by one (SAFE-4).
      await new Promise(setImmediate);
    }
    const texts = (await Promise.all(answers)).filter((text) => text !== undefined);
    stopWaiting();
    entered.lastSeen = clock.elapsed();
    const [only] = texts;
    if (only === undefined) {
      if (table.find(entered.id) !== undefined) post.abandon();
      else writeRefusal(res, { ...ENDED, id: null });
    } else if (post.isStreaming()) {
      for (const text of texts.slice(0, -1)) post.send(text);
      post.finish(texts.at(-1) ?? only);
    } else post.finish(`[${texts.join(",")}]`);
  };

  /** Notifications and responses: they get no reply. */
  const accept = ({ inFlight, session }: HttpSession, read: Message): void => {
    if (read.kind === "response") inFlight.settle(read.message);
    else if (read.kind === "notification") {
      const { method, params = {} } = read.message;
      if (method === "notifications/cancelled") inFlight.cancel(read.message);
      else router.handleNotification({ method, params }, session);
    }
  };

  return {
    post(http, read) {
      const accepted = parseAccept(http.headers.get("accept"));
      const id = read.kind === "request" ? read.message.id : null;
      if (!accepted.json && !accepted.stream) return writeRefusal(http.res, { ...NOT_ACCEPTABLE, id });
      if (read.kind === "request" && read.message.method === "initialize") {
        return settleWork(http.res, initialize(http, read.message, accepted), log);
      }
      const entered = enter(http, id);
      if (entered === undefined) return;
      if (read.kind === "request") {
        return answer(http, entered, read.message, accepted);
      }
      accept(entered, read);
      writeNothing(http.res, 202);
    },
    postBatch(http, batch) {
      const { res, headers } = http;
      const entered = enter(http);
      if (entered === undefined) return;
      const read = readBatch(batch, entered.session.revision);
      if ("reason" in read) {
        const message = `Invalid Request: ${read.reason}`;
        return writeRefusal(res, { code: "invalid-request", message });
      }
      const accepted = parseAccept(headers.get("accept"));
      if (!accepted.json && !accepted.stream) return writeRefusal(res, NOT_ACCEPTABLE);
      for (const message of read.messages) accept(entered, message);
      const list = read.messages.flatMap((each) => (each.kind === "request" ? [each.message] : []));
      if (list.length === 0) writeNothing(res, 202);
      else settleWork(http.res, answerBatch(http, entered, list, accepted), log);
    },
    get(http) {
      const { res, headers, proof, share } = http;
      if (!parseAccept(headers.get("accept")).stream) return writeRefusal(res, NOT_ACCEPTABLE);
      const entered = enter(http);
      if (entered === undefined) return;
      const last = headers.get("last-event-id");
      const found = last === undefined ? undefined : entered.streams.find(last);
      if (last !== undefined && found === undefined) {
        return writeRefusal(
          res,
          badRequest("Bad Request: nothing is left to resume after this Last-Event-ID"),
        );
      }
      const refusal = streams.take(share);
      if (refusal !== undefined) return writeRefusal(res, refusal);
      const { stream, after } = found ?? { stream: entered.standalone, after: undefined };
      const writer = writers.open(res, () => {
        release();
        streams.release(share);
        stream.detach(writer);
        entered.lastSeen = clock.elapsed();
      });
      const release = admissions.hold(proof, "proof", writer.end);
      stream.attach(writer, after);
    },
    delete(http) {
      const entered = enter(http);
      if (entered === undefined) return;
      table.remove(entered);
      writeNothing(http.res, 200);
    },
    sweep: () => table.sweep(clock.elapsed()),
    close() {
      closed = true;
      table.close();
    },
  };
}

/** Maximum characters of all answers of a batch, which are one text. What comes after that is not run. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

const TOO_MUCH_FOR_A_BATCH = errorReply(
  CODES.internal,
  `The answers of this batch would have more than ${MAX_BATCH_BYTES} bytes. Send this request by itself.`,
  { limit: "batchBytes", max: MAX_BATCH_BYTES },
);

const NOT_ACCEPTABLE: Refusal = {
  code: "not-acceptable",
  message: "Not Acceptable: the client must accept application/json and text/event-stream",
};

const ENDED: Refusal = { code: "session-not-found", message: "The session has ended" };
