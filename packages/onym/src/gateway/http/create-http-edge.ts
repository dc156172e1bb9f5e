// The gateway's MCP endpoints on `node:http`: authenticates the caller, reads the message once, and passes it
// to the routes of its era.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ParsedMessage, SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import {
  formatReply,
  type Message,
  parseMessage,
  parseMessageSteps,
  readClientMessage,
} from "../../mcp/message.js";
import type { RefusalReason } from "../../model/call-report.js";
import { type EdgeClock, systemEdgeClock } from "../../model/clock.js";
import { type Log, silentLog } from "../../model/log.js";
import { runInSlices } from "../../model/run-slices.js";
import { authRefusal } from "../auth/auth-refusal.js";
import type { Authenticate, AuthResult } from "../auth/authenticate.js";
import { type Admissions, createAdmissions } from "../auth/create-authenticator.js";
import type { CallerHints, Router } from "../router.js";
import {
  type CallerKey,
  type CallerShare,
  callerKey,
  createQuotas,
  HeldRequest,
  type Quotas,
  RequestBytes,
} from "../sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../sessions/edge-limits.js";
import { Drain } from "../sessions/in-flight-requests.js";
import { createReadQueue, type ReadQueue } from "../sessions/read-queue.js";
import { createLegacyRoutes, type LegacyRoutes } from "./create-legacy-routes.js";
import { createModernRoutes, type ModernRoutes } from "./create-modern-routes.js";
import { createSseRoutes, type SseRoutes } from "./create-sse-routes.js";
import { createUnreadBytes, startMessage, type UnreadBytes } from "./guard-connections.js";
import type { HttpExchange } from "./http-exchange.js";
import {
  checkHost,
  detectEra,
  isJsonType,
  parseRoute,
  type Route,
  readBody,
  readHeaders,
} from "./requests/read-request.js";
import { createSseWriters, createStreamCount, type StreamCount } from "./responses/create-sse-writer.js";
import { busy, endingConnection, type Refusal } from "./responses/refusal.js";
import {
  failOnError,
  failRequest,
  writeJson,
  writeNothing,
  writeRefusal,
} from "./responses/write-response.js";

export interface HttpEdge {
  /** `false`: the URL is not an MCP endpoint, and nothing was done. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Call when the access rules changed: ends the sessions and streams of callers that lost access. */
  readonly review: () => void;
  /**
   * Starts nothing new from now on. Requests in flight continue, and clients can still answer, cancel and
   * resume.
   */
  readonly drain: () => void;
  /** For what is served beside MCP: it counts towards the same share, and ends with the same access. */
  readonly callers: EdgeCallers;
  /** Ends sessions and streams, and refuses later requests. Does not close the server. */
  readonly close: () => Promise<void>;
}

export interface EdgeCallers {
  readonly quotas: Pick<Quotas, "of">;
  readonly admissions: Pick<Admissions, "hold">;
  readonly clock: Pick<EdgeClock, "elapsed">;
  readonly unread: UnreadBytes;
  readonly streams: StreamCount;
  readonly reads: ReadQueue;
}

export interface HttpEdgeOptions {
  readonly router: Router;
  /** Identifies the caller; absent: everyone may connect. */
  readonly authenticate?: Authenticate;
  readonly limits?: EdgeLimits;
  /** Host names beside those of the loopback interface. */
  readonly allow?: readonly string[];
  readonly log?: Log;
  readonly clock?: EdgeClock;
  /** Called with the reason when a request is refused before its message is read. */
  readonly onRefusal?: ((reason: RefusalReason) => void) | undefined;
}

/** The interval of keep-alive comments on idle streams. */
const KEEP_ALIVE_MS = 15_000;

/**
 * @example
 * const edge = createHttpEdge({ router });
 * const server = createServer(SERVER_SETTINGS, (req, res) => edge.handle(req, res) || notFound(res));
 */
export function createHttpEdge(options: HttpEdgeOptions): HttpEdge {
  return new NodeHttpEdge(options);
}

class NodeHttpEdge implements HttpEdge {
  readonly callers: EdgeCallers;
  readonly review: () => void;
  readonly #limits: EdgeLimits;
  readonly #allow: readonly string[];
  readonly #log: Log;
  readonly #clock: EdgeClock;
  readonly #authenticate: Authenticate | undefined;
  readonly #onRefusal: (reason: RefusalReason) => void;
  readonly #writers = createSseWriters();
  readonly #admissions: Admissions;
  readonly #quotas: Quotas;
  readonly #unread: UnreadBytes;
  readonly #requestBytes: RequestBytes;
  /** The caller that proves nothing is its connection's address, which does not change. */
  readonly #anonymous = new WeakMap<Socket, CallerKey>();
  readonly #drain = new Drain();
  readonly #modern: ModernRoutes;
  readonly #legacy: LegacyRoutes;
  readonly #sse: SseRoutes;
  readonly #stopTicking: () => void;
  #isClosed = false;

  constructor(options: HttpEdgeOptions) {
    const { router, limits = DEFAULT_EDGE_LIMITS, log = silentLog, clock = systemEdgeClock } = options;
    const [writers, drain] = [this.#writers, this.#drain];
    const admissions = createAdmissions(clock);
    const streams = createStreamCount(limits.streams);
    const quotas = createQuotas(limits, clock, log);
    const unread = createUnreadBytes(limits, log);
    const shared = { router, limits, writers, streams, admissions, drain, clock, log };
    this.#limits = limits;
    this.#allow = options.allow ?? [];
    this.#log = log;
    this.#clock = clock;
    this.#authenticate = options.authenticate;
    this.#onRefusal = options.onRefusal ?? (() => {});
    this.#admissions = admissions;
    this.#quotas = quotas;
    this.#unread = unread;
    this.#requestBytes = new RequestBytes(limits.requestBytes);
    this.#modern = createModernRoutes({ ...shared, keepAliveMs: KEEP_ALIVE_MS });
    this.#legacy = createLegacyRoutes(shared);
    this.#sse = createSseRoutes(shared);
    this.#stopTicking = clock.every(KEEP_ALIVE_MS, () => {
      writers.keepAlive();
      this.#legacy.sweep();
      quotas.sweep();
    });
    this.callers = { quotas, admissions, clock, unread, streams, reads: createReadQueue() };
    this.review = admissions.review;
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): boolean => {
    const route = parseRoute(req.url ?? "");
    if (route === undefined) return false;
    const hostRefusal = checkHost(req, this.#allow);
    if (hostRefusal !== undefined) this.#refuse(res, hostRefusal, "host");
    else if (this.#isClosed) writeRefusal(res, SHUTTING_DOWN);
    else this.#identify(req, res, route);
    return true;
  };

  readonly drain = (): void => this.#drain.begin();

  readonly close = async (): Promise<void> => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopTicking();
    this.#admissions.close();
    this.#modern.close();
    this.#sse.close();
    this.#legacy.close();
    this.#writers.endAll();
  };

  #refuse(res: ServerResponse, refusal: Refusal, reason: RefusalReason): void {
    this.#onRefusal(reason);
    this.#log("debug", "request refused", { reason, code: refusal.code });
    writeRefusal(res, endingConnection(refusal));
  }

  #identify(req: IncomingMessage, res: ServerResponse, route: Route): void {
    // Writers check that the client is connected; losing that race is not an error.
    res.on("error", () => {});
    const sent = readHeaders(req);
    const target = { route, headers: withoutCredentials(sent) };
    try {
      const auth = this.#authenticate?.(sent);
      if (auth instanceof Promise)
        auth
          .then((known) => this.#admitLater(req, res, target, known))
          .catch((error: unknown) => failRequest(res, error, this.#log));
      else this.#admit(req, res, target, auth);
    } catch (error) {
      failRequest(res, error, this.#log);
    }
  }

  #admitLater(req: IncomingMessage, res: ServerResponse, target: Target, auth: AuthResult): void {
    // The client has disconnected: there will be no later `close` event.
    if (res.destroyed || res.closed) return;
    if (this.#isClosed) writeRefusal(res, SHUTTING_DOWN);
    else this.#admit(req, res, target, auth);
  }

  /** Continues with an authenticated request. */
  #admit(req: IncomingMessage, res: ServerResponse, target: Target, auth: AuthResult | undefined) {
    const { route, headers } = target;
    const proved = auth?.outcome === "known" && !auth.isAnonymous ? auth.principal : undefined;
    const isAnonymous = proved === undefined && auth?.outcome !== "refused";
    const caller = this.#callerOf(proved, req.socket);
    const share = this.#quotas.of(caller);
    this.#unread.watch(req.socket, share);
    // Without authentication all local clients are one caller, so a rate limit would hit all of them
    // together.
    const isRated = !(caller.isShared && isAnonymous);
    const tooFast = isRated ? share.countRequest(this.#clock.elapsed()) : undefined;
    if (tooFast !== undefined) return this.#refuse(res, tooFast, "limit");
    if (auth?.outcome === "refused")
      return this.#refuse(
        res,
        authRefusal(auth),
        auth.code === "unauthenticated" ? "unauthenticated" : "forbidden",
      );
    const { profile = undefined, as = undefined } = route.kind === "messages" ? {} : route;
    const { principal } = auth ?? {};
    const hints: CallerHints = {
      headers,
      profile,
      as: as ?? auth?.as,
      principal,
      isAnonymous,
      callerKey: share.key,
      terms: auth,
    };
    const held = new HeldRequest(this.#requestBytes, share);
    this.#serve({ req, res, headers, hints, proof: auth?.proof, share, isRated, held }, route);
  }

  #callerOf(proved: string | undefined, socket: Socket): CallerKey {
    const known = proved === undefined ? this.#anonymous.get(socket) : undefined;
    if (known !== undefined) return known;
    const key = callerKey(proved, socket.remoteAddress);
    if (proved === undefined) this.#anonymous.set(socket, key);
    return key;
  }

  #serve(http: HttpExchange, route: Route) {
    const { req, res } = http;
    const { method } = req;
    if (route.kind === "messages") {
      if (method !== "POST") return writeRefusal(res, notAllowed("POST"));
      const refusal = this.#sse.check(http, route.sessionId);
      if (refusal !== undefined) return writeRefusal(res, refusal);
      return this.#readClientMessage(http, (parsed) => {
        if (parsed.ok) this.#sse.take(http, route.sessionId, parsed.value, parsed.text);
        else writeRefusal(res, refusalOfText(parsed));
      });
    }
    if (route.kind === "sse")
      return method === "GET" ? this.#sse.open(http) : writeRefusal(res, onlyStream());
    if (method === "POST") return this.#readClientMessage(http, (parsed) => this.#post(http, parsed));
    if (method === "GET") return this.#legacy.get(http);
    if (method === "DELETE") return this.#legacy.delete(http);
    writeRefusal(res, notAllowed("GET, POST, DELETE"));
  }

  /** Reads the body of a POST, and refuses what cannot be a message. */
  #readClientMessage(http: HttpExchange, use: (parsed: ParsedMessage) => void) {
    const { req, res, headers, held } = http;
    if (!isJsonType(headers.get("content-type"))) {
      const message = "Unsupported Media Type: Content-Type must be application/json";
      return writeRefusal(res, endingConnection({ code: "unsupported-media-type", message }));
    }
    const limit = this.#limits.requestBytes;
    held.keep();
    res.once("close", () => held.release());
    const take = (bytes: number) => held.add(bytes);
    readBody(req, { limit, take }, (body) => {
      if (body.kind === "gone") return;
      if (body.kind === "refused") return this.#refuse(res, body.refusal, "limit");
      if (body.kind === "too-large") {
        const message = `Payload Too Large: a message has at most ${limit} bytes`;
        return writeRefusal(res, endingConnection({ code: "payload-too-large", message }));
      }
      // Parsing in slices has a budget of its own.
      const bytes = Math.min(body.bytes.length, SLICED_BYTES);
      startMessage(req, bytes, () => this.#useBody(http, body.bytes, use));
    });
  }

  #useBody({ res, proof, share }: HttpExchange, bytes: Buffer, use: (parsed: ParsedMessage) => void) {
    // Decoding would silently replace invalid UTF-8, and two names could become one.
    if (!isUtf8(bytes)) return writeRefusal(res, NOT_JSON);
    // The caller may have lost access while its body arrived.
    if (!this.#admissions.admits(proof))
      return writeRefusal(res, endingConnection({ code: "unauthenticated", message: ENDED }));
    try {
      this.#parse(res, bytes, share, use);
    } catch (error) {
      failRequest(res, error, this.#log);
    }
  }

  /** Large bodies are parsed in slices (SAFE-4). */
  #parse(
    res: ServerResponse,
    bytes: Buffer,
    { key: callerKey }: CallerShare,
    use: (parsed: ParsedMessage) => void,
  ): void {
    if (bytes.length < SLICED_BYTES) use(parseMessage(bytes));
    else failOnError(res, runInSlices(parseMessageSteps(bytes), { callerKey }).then(use), this.#log);
  }

  #post(http: HttpExchange, parsed: ParsedMessage) {
    if (!parsed.ok) return writeRefusal(http.res, refusalOfText(parsed));
    if (Array.isArray(parsed.value)) return this.#legacy.postBatch(http, parsed.value);
    const read = readClientMessage(parsed.value, parsed.text);
    if (read.kind !== "invalid") return this.#postMessage(http, read);
    const message = `Invalid Request: ${read.reason}`;
    writeRefusal(http.res, { code: "invalid-request", message, id: read.id });
  }

  #postMessage(http: HttpExchange, read: Message) {
    const era = detectEra(read, http.headers);
    const id = read.kind === "request" ? read.message.id : null;
    if (era.kind === "refused") return writeJson(http.res, 400, formatReply(id, era.reply));
    if (era.kind === "legacy") return this.#legacy.post(http, read);
    if (read.kind === "request") this.#modern.post(http, read.message);
    else writeNothing(http.res, 202);
  }
}

const SHUTTING_DOWN = endingConnection(busy("The gateway is shutting down"));
const NOT_JSON: Refusal = { code: "parse-error", message: "Parse error: the body is not JSON" };
function refusalOfText({ isRefused, reason }: Extract<ParsedMessage, { ok: false }>): Refusal {
  if (isRefused !== true) return NOT_JSON;
  return { code: "invalid-request", message: `Invalid Request: ${reason}` };
}

const ENDED = "Unauthorized: the access of this caller has ended";

interface Target {
  readonly route: Route;
  readonly headers: ReadonlyMap<string, string>;
}

/** The caller's credentials for the gateway must not reach a server. */
function withoutCredentials(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (!headers.has("authorization") && !headers.has("cookie")) return headers;
  const rest = new Map(headers);
  rest.delete("authorization");
  rest.delete("cookie");
  return rest;
}

function notAllowed(allow: string): Refusal {
  return { code: "method-not-allowed", message: "Method not allowed", headers: { allow } };
}

/** Users sometimes register the SSE address in a Streamable HTTP client. */
function onlyStream(): Refusal {
  const message =
    "Method not allowed: GET opens the SSE stream here. A client of Streamable HTTP posts to /mcp instead.";
  return { ...notAllowed("GET"), message };
}
