// Clients with a session over Streamable HTTP (2025-03-26 to 2025-11-25): POST, GET and DELETE.

import type { Message, RequestId, RpcRequest } from "../../mcp/message.js";
import { answerBatch, joinAnswers } from "../sessions/answer-batch.js";
import type { CallerShare } from "../sessions/edge-callers.js";
import {
  createHttpSession,
  createSessionTable,
  findSession,
  type HttpSession,
  type SessionTable,
} from "./create-session-table.js";
import type { HttpExchange, RouteOptions } from "./http-exchange.js";
import { readClientBatch } from "./requests/read-client-batch.js";
import { type Accepted, parseAccept } from "./requests/read-request.js";
import { badRequest, busy, errorOf, type Refusal } from "./responses/refusal.js";
import {
  createPostResponse,
  failOnError,
  failRequest,
  formatResponse,
  type PostResponse,
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

/** A slower reply becomes a stream, if the client can resume one. */
const STREAM_DELAY_MS = 250;

export function createLegacyRoutes(options: RouteOptions): LegacyRoutes {
  return new SessionRoutes(options);
}

class SessionRoutes implements LegacyRoutes {
  readonly #options: RouteOptions;
  readonly #table: SessionTable;
  /** Sessions that the router has not opened yet. They count towards the limit already. */
  #opening = 0;
  #isClosed = false;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#table = createSessionTable(options.limits.sessionIdleMs);
  }

  readonly post: LegacyRoutes["post"] = (http, read) => {
    const accepted = parseAccept(http.headers.get("accept"));
    const id = read.kind === "request" ? read.message.id : null;
    if (!accepted.json && !accepted.stream) return writeRefusal(http.res, { ...NOT_ACCEPTABLE, id });
    if (read.kind === "request" && read.message.method === "initialize") {
      return failOnError(http.res, this.#initialize(http, read.message, accepted), this.#options.log);
    }
    const entered = this.#enter(http, id);
    if (entered === undefined) return;
    if (read.kind === "request") return this.#answer(http, entered, read.message, accepted);
    this.#accept(entered, read);
    writeNothing(http.res, 202);
  };

  readonly postBatch: LegacyRoutes["postBatch"] = (http, batch) => {
    const { res, headers } = http;
    const entered = this.#enter(http);
    if (entered === undefined) return;
    const read = readClientBatch(batch, entered.session.revision);
    if ("reason" in read) {
      const message = `Invalid Request: ${read.reason}`;
      return writeRefusal(res, { code: "invalid-request", message });
    }
    const accepted = parseAccept(headers.get("accept"));
    if (!accepted.json && !accepted.stream) return writeRefusal(res, NOT_ACCEPTABLE);
    for (const message of read.messages) this.#accept(entered, message);
    const requests = read.messages.filter(({ kind }) => kind === "request");
    if (requests.length === 0) writeNothing(res, 202);
    else failOnError(res, this.#answerBatch(http, entered, requests, accepted), this.#options.log);
  };

  readonly get: LegacyRoutes["get"] = (http) => {
    const { res, headers, proof, share } = http;
    const { writers, streams, admissions, clock } = this.#options;
    if (!parseAccept(headers.get("accept")).stream) return writeRefusal(res, NOT_ACCEPTABLE);
    const entered = this.#enter(http);
    if (entered === undefined) return;
    const last = headers.get("last-event-id");
    const found = last === undefined ? undefined : entered.streams.find(last);
    if (last !== undefined && found === undefined) {
      return writeRefusal(res, badRequest("Bad Request: nothing is left to resume after this Last-Event-ID"));
    }
    const end = (): void => writer.end();
    const refusal = streams.take(share, end);
    if (refusal !== undefined) return writeRefusal(res, refusal);
    const { stream, after } = found ?? { stream: entered.standalone, after: undefined };
    const writer = writers.open({ res, callerKey: share.key }, () => {
      release();
      streams.release(share, end);
      stream.detach(writer);
      entered.lastSeen = clock.elapsed();
    });
    const release = admissions.hold(proof, "proof", end);
    stream.attach(writer, after);
  };

  readonly delete: LegacyRoutes["delete"] = (http) => {
    const entered = this.#enter(http);
    if (entered === undefined) return;
    this.#table.remove(entered);
    writeNothing(http.res, 200);
  };

  readonly sweep = (): void => this.#table.sweep(this.#options.clock.elapsed());

  readonly close = (): void => {
    this.#isClosed = true;
    this.#table.close();
  };

  /** The session of a request; refuses the request if there is none. */
  #enter(http: HttpExchange, id: RpcRequest["id"] | null = null): HttpSession | undefined {
    const found = findSession(this.#table, http);
    if (found.kind === "refused") {
      writeRefusal(http.res, { ...found.refusal, id });
      return undefined;
    }
    found.session.lastSeen = this.#options.clock.elapsed();
    this.#keep(found.session, http.proof);
    return found.session;
  }

  /** Ties the session to the latest proof of its caller. */
  #keep(session: HttpSession, proof: HttpExchange["proof"]): void {
    if (session.admission?.proof === proof) return;
    session.admission?.release();
    const release = this.#options.admissions.hold(proof, "caller", () => this.#table.remove(session));
    session.admission = { proof, release };
  }

  async #initialize(
    { res, headers, hints, proof, share }: HttpExchange,
    request: RpcRequest,
    accepted: Accepted,
  ): Promise<void> {
    const { router, limits, writers, drain, clock, log } = this.#options;
    const { id } = request;
    if (this.#table.find(headers.get("mcp-session-id") ?? "")?.isOwnedBy(hints)) {
      const message = "Invalid Request: this session is initialized already";
      return writeRefusal(res, { code: "invalid-request", message, id });
    }
    const draining = drain.refusal(request);
    if (draining !== undefined) return writeRefusal(res, { ...draining, id });
    const refusal = this.#makeRoom(share);
    if (refusal !== undefined) {
      log("warn", "a client was refused: too many sessions", {
        caller: share.shown,
        own: share.sessions,
        sessions: this.#table.size,
      });
      return writeRefusal(res, { ...refusal, id });
    }
    share.take("sessions");
    this.#opening += 1;
    const { elapsed } = clock;
    const { reply, opened } = await createHttpSession({
      router,
      limits,
      log,
      drain,
      request,
      hints,
      share,
      elapsed,
    }).finally(() => {
      this.#opening -= 1;
    });
    // The client would never learn the session id.
    const isMissed = this.#isClosed || res.destroyed;
    if (opened === undefined || isMissed) share.release("sessions");
    if (opened !== undefined) {
      if (isMissed) opened.close();
      if (res.destroyed) return;
      if (this.#isClosed) return writeRefusal(res, { ...busy("The gateway is shutting down"), id });
      this.#table.add(opened);
      this.#keep(opened, proof);
      res.setHeader("mcp-session-id", opened.id);
    }
    createPostResponse({ res, callerKey: share.key, accepted, writers, log: undefined }).finish(
      formatResponse(id, reply),
    );
  }

  /** At its own limit, a caller loses one of its own sessions; the global limit is shared fairly. */
  #makeRoom(share: CallerShare): Refusal | undefined {
    const { clock } = this.#options;
    if (!share.hasRoom("sessions") && !this.#table.evictOwn(share, clock.elapsed()))
      return share.refusal("sessions");
    if (this.#isFull) this.#table.sweep(clock.elapsed());
    return this.#isFull && !this.#table.evictFor(share, clock.elapsed())
      ? busy("Too many sessions are open")
      : undefined;
  }

  get #isFull(): boolean {
    return this.#table.size + this.#opening >= this.#options.limits.sessions;
  }

  #answer(http: HttpExchange, entered: HttpSession, request: RpcRequest, accepted: Accepted): void {
    const { res, headers, held, share } = http;
    const { writers, clock, log } = this.#options;
    const { inFlight, session, resumes } = entered;
    const post = createPostResponse({ res, callerKey: share.key, accepted, writers, log: entered.streams });
    const stopWaiting = resumes ? clock.after(STREAM_DELAY_MS, () => void post.stream()) : undefined;
    const refusal = inFlight.handle({ request, caller: session, sink: post, headers, held }, (reply) => {
      stopWaiting?.();
      entered.lastSeen = clock.elapsed();
      try {
        if (reply !== undefined) post.finishWith(request.id, reply);
        else this.#abandon(post, http, entered, request.id);
      } catch (error) {
        failRequest(res, error, log);
      }
    });
    if (refusal === undefined) return;
    stopWaiting?.();
    writeRefusal(res, { ...refusal, id: request.id });
  }

  async #answerBatch(
    http: HttpExchange,
    entered: HttpSession,
    requests: readonly Message[],
    accepted: Accepted,
  ): Promise<void> {
    const { writers, clock } = this.#options;
    const { res, headers, held, share, isRated } = http;
    const post = createPostResponse({ res, callerKey: share.key, accepted, writers, log: entered.streams });
    const stopWaiting = entered.resumes ? clock.after(STREAM_DELAY_MS, () => void post.stream()) : () => {};
    const { inFlight, session } = entered;
    const answers = await answerBatch(requests, {
      answer(request, finish) {
        const asked = { request, caller: session, sink: post, headers, held };
        const refusal = inFlight.handle(asked, finish);
        if (refusal !== undefined) finish(errorOf(refusal));
      },
      accept: (message) => this.#accept(entered, message),
      countNext: () => (isRated ? share.countRequest(clock.elapsed()) : undefined),
    });
    stopWaiting();
    entered.lastSeen = clock.elapsed();
    const [last, joined] = [answers.at(-1), post.isStreaming() ? undefined : joinAnswers(answers)];
    if (last === undefined) return this.#abandon(post, http, entered, null);
    if (joined !== undefined) return post.finish(joined);
    for (const answer of answers.slice(0, -1)) post.send(answer);
    post.finish(last);
  }

  /** Nothing is answered: the client cancelled it, or its session has ended. */
  #abandon(post: PostResponse, { res }: HttpExchange, { id: sessionId }: HttpSession, id: RequestId | null) {
    if (this.#table.find(sessionId) !== undefined) post.abandon();
    else writeRefusal(res, { ...ENDED, id });
  }

  /** Notifications and responses: they get no reply. */
  #accept({ inFlight, session }: HttpSession, read: Message): void {
    if (read.kind === "response") inFlight.handleResponse(read.message);
    else if (read.kind === "notification") {
      const { method, params = {} } = read.message;
      if (method === "notifications/cancelled") inFlight.cancel(read.message);
      else this.#options.router.handleNotification({ method, params }, session);
    }
  }
}

const NOT_ACCEPTABLE: Refusal = {
  code: "not-acceptable",
  message: "Not Acceptable: the client must accept application/json and text/event-stream",
};

const ENDED: Refusal = { code: "session-not-found", message: "The session has ended" };
