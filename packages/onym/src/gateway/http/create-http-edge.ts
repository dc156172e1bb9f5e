// The gateway's MCP endpoints on `node:http`: authenticates the caller, reads the message once, and passes it
// to the routes of its era.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ParsedMessage, SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import {
  formatReply,
  type Message,
  parseMessage,
  parseMessageSteps,
  readClientMessage,
} from "../../mcp/message.js";
import type { RefusalReason } from "../../model/call-report.js";
import { type Log, silentLog } from "../../model/log.js";
import { runInSlices } from "../../model/run-slices.js";
import { authRefusal } from "../auth/auth-refusal.js";
import type { Authenticate, AuthResult } from "../auth/authenticate.js";
import { type Admissions, createAdmissions } from "../auth/create-authenticator.js";
import type { CallerHints, Router } from "../router.js";
import {
  callerKey,
  createQuotas,
  type EdgeClock,
  HeldRequest,
  type Quotas,
  RequestBytes,
  systemClock,
} from "../sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../sessions/edge-limits.js";
import { Drain } from "../sessions/in-flight-requests.js";
import { createLegacyRoutes } from "./create-legacy-routes.js";
import { createModernRoutes } from "./create-modern-routes.js";
import { createSseRoutes } from "./create-sse-routes.js";
import { createUnreadBytes, type UnreadBytes } from "./guard-connections.js";
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
  failRequest,
  settleWork,
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
  /** The interval of keep-alive comments on idle streams. */
  readonly keepAliveMs?: number;
  /** Called with the reason when a request is refused before its message is read. */
  readonly onRefusal?: ((reason: RefusalReason) => void) | undefined;
  /** A client that can resume gets a stream if the reply takes longer than this. */
  readonly patienceMs?: number;
}

/**
 * @example
 * const edge = createHttpEdge({ router });
 * const server = createServer(SERVER_SETTINGS, (req, res) => edge.handle(req, res) || notFound(res));
 */
export function createHttpEdge(options: HttpEdgeOptions): HttpEdge {
  const { router, limits = DEFAULT_EDGE_LIMITS, allow = [], log = silentLog, clock = systemClock } = options;
  const { keepAliveMs = 15_000, patienceMs = 250, authenticate, onRefusal = () => {} } = options;
  const writers = createSseWriters();
  const admissions = createAdmissions(clock);
  const streams = createStreamCount(limits.streams);
  const quotas = createQuotas(limits, clock, log);
  const unread = createUnreadBytes(limits, log);
  const requestBytes = new RequestBytes(limits.requestBytes);
  const drain = new Drain();
  const shared = { router, limits, writers, streams, admissions, drain, clock, log };
  const modern = createModernRoutes({ ...shared, patienceMs: keepAliveMs });
  const legacy = createLegacyRoutes({ ...shared, patienceMs });
  const old = createSseRoutes(shared);
  const stopTicking = clock.every(keepAliveMs, () => {
    writers.keepAlive();
    legacy.sweep();
    quotas.sweep();
  });
  let closed = false;

  const refuse = (res: ServerResponse, refusal: Refusal, reason: RefusalReason): void => {
    onRefusal(reason);
    log("debug", "request refused", { reason, code: refusal.code });
    writeRefusal(res, endingConnection(refusal));
  };

  /** Reads the body of a POST, and refuses what cannot be a message. */
  const readText = (http: HttpExchange, onBytes: (bytes: Buffer) => void) => {
    const { req, res, headers } = http;
    if (!isJsonType(headers.get("content-type"))) {
      const message = "Unsupported Media Type: Content-Type must be application/json";
      return writeRefusal(res, endingConnection({ code: "unsupported-media-type", message }));
    }
    const { held } = http;
    held.keep();
    res.once("close", () => held.release());
    const take = (bytes: number) => held.add(bytes);
    readBody(req, { limit: limits.requestBytes, take }, (body) => {
      if (body.kind === "gone") return;
      if (body.kind === "refused") return refuse(res, body.refusal, "limit");
      if (body.kind === "too-large") {
        const message = `Payload Too Large: a message has at most ${limits.requestBytes} bytes`;
        return writeRefusal(res, endingConnection({ code: "payload-too-large", message }));
      }
      // Decoding would silently replace invalid UTF-8, and two names could become one.
      if (!isUtf8(body.bytes)) return writeRefusal(res, NOT_JSON);
      // The caller may have lost access while its body arrived.
      if (!admissions.admits(http.proof))
        return writeRefusal(res, endingConnection({ code: "unauthenticated", message: ENDED }));
      try {
        onBytes(body.bytes);
      } catch (error) {
        failRequest(res, error, log);
      }
    });
  };

  /** Large bodies are parsed in slices (SAFE-4). */
  const parse = (http: HttpExchange, bytes: Buffer, use: (parsed: ParsedMessage) => void): void => {
    if (bytes.length < SLICED_BYTES) use(parseMessage(bytes));
    else settleWork(http.res, runInSlices(parseMessageSteps(bytes)).then(use), log);
  };

  const post = (http: HttpExchange, parsed: ParsedMessage) => {
    if (!parsed.ok) return writeRefusal(http.res, refusalOfText(parsed));
    if (Array.isArray(parsed.value)) return legacy.postBatch(http, parsed.value);
    const read = readClientMessage(parsed.value, parsed.text);
    if (read.kind !== "invalid") return postMessage(http, read);
    const message = `Invalid Request: ${read.reason}`;
    writeRefusal(http.res, { code: "invalid-request", message, id: read.id });
  };

  const postMessage = (http: HttpExchange, read: Message) => {
    const era = detectEra(read, http.headers);
    const id = read.kind === "request" ? read.message.id : null;
    if (era.kind === "refused") return writeJson(http.res, 400, formatReply(id, era.reply));
    if (era.kind === "legacy") return legacy.post(http, read);
    if (read.kind === "request") modern.post(http, read.message);
    else writeNothing(http.res, 202);
  };

  const serve = (http: HttpExchange, route: Route) => {
    const { req, res } = http;
    const { method } = req;
    if (route.kind === "messages") {
      if (method !== "POST") return writeRefusal(res, notAllowed("POST"));
      const refusal = old.check(http, route.sessionId);
      if (refusal !== undefined) return writeRefusal(res, refusal);
      return readText(http, (bytes) =>
        parse(http, bytes, (parsed) => {
          if (parsed.ok) old.take(http, route.sessionId, parsed.value, parsed.text);
          else writeRefusal(res, refusalOfText(parsed));
        }),
      );
    }
    if (route.kind === "sse") return method === "GET" ? old.open(http) : writeRefusal(res, onlyStream());
    if (method === "POST")
      return readText(http, (bytes) => parse(http, bytes, (parsed) => post(http, parsed)));
    if (method === "GET") return legacy.get(http);
    if (method === "DELETE") return legacy.delete(http);
    writeRefusal(res, notAllowed("GET, POST, DELETE"));
  };

  /** Continues with an authenticated request. */
  const admit = (req: IncomingMessage, res: ServerResponse, target: Target, auth: AuthResult | undefined) => {
    const { route, headers } = target;
    const proved = auth?.outcome === "known" && !auth.isAnonymous ? auth.principal : undefined;
    const isAnonymous = proved === undefined && auth?.outcome !== "refused";
    const caller = callerKey(proved, req.socket.remoteAddress);
    const share = quotas.of(caller);
    unread.watch(req.socket, share);
    // Without authentication all local clients are one caller, so a rate limit would hit all of them
    // together.
    const isRated = !(caller.isShared && isAnonymous);
    const tooFast = isRated ? share.countRequest(clock.elapsed()) : undefined;
    if (tooFast !== undefined) return refuse(res, tooFast, "limit");
    if (auth?.outcome === "refused")
      return refuse(
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
      callerKey: share.key,
      terms: auth,
    };
    const held = new HeldRequest(requestBytes, share);
    serve({ req, res, headers, hints, proof: auth?.proof, share, isRated, held }, route);
  };

  return {
    handle(req, res) {
      const route = parseRoute(req.url ?? "");
      if (route === undefined) return false;
      const strange = checkHost(req, allow);
      if (strange !== undefined) {
        refuse(res, strange, "host");
        return true;
      }
      if (closed) {
        writeRefusal(res, endingConnection(busy("The gateway is shutting down")));
        return true;
      }
      // Writers check that the client is connected; losing that race is not an error.
      res.on("error", () => {});
      const sent = readHeaders(req);
      const target = { route, headers: withoutCredentials(sent) };
      const admitLater = (auth: AuthResult): void => {
        // The client has disconnected: there will be no later `close` event.
        if (res.destroyed || res.closed) return;
        if (closed) writeRefusal(res, endingConnection(busy("The gateway is shutting down")));
        else admit(req, res, target, auth);
      };
      try {
        const auth = authenticate?.(sent);
        if (auth instanceof Promise)
          auth.then(admitLater).catch((error: unknown) => failRequest(res, error, log));
        else admit(req, res, target, auth);
      } catch (error) {
        failRequest(res, error, log);
      }
      return true;
    },
    review: admissions.review,
    callers: { quotas, admissions, clock, unread, streams },
    drain: () => drain.begin(),
    async close() {
      if (closed) return;
      closed = true;
      stopTicking();
      admissions.close();
      modern.close();
      old.close();
      legacy.close();
      writers.endAll();
    },
  };
}

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
