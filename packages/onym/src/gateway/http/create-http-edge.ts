// The gateway's MCP addresses on `node:http`: checks who asks, reads the message once, and hands it to its era.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readPlain } from "../../mcp/fast-path/read-plain.js";
import { type Message, readMessage } from "../../mcp/message.js";
import { type ParsedMessage, parseMessage } from "../../mcp/parse-message.js";
import { CODES } from "../../mcp/protocol.js";
import { formatReply } from "../../mcp/reply.js";
import { type Log, silentLog } from "../../model/log.js";
import { authRefusal } from "../auth/auth-refusal.js";
import type { Authenticate, AuthResult } from "../auth/authenticate.js";
import type { CallerHints, Router } from "../router.js";
import { callerKey } from "../sessions/caller-key.js";
import { createAdmissions } from "../sessions/create-admissions.js";
import { createQuotas } from "../sessions/create-quotas.js";
import { type EdgeClock, systemClock } from "../sessions/edge-clock.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../sessions/edge-limits.js";
import { createLegacyRoutes } from "./create-legacy-routes.js";
import { createModernRoutes } from "./create-modern-routes.js";
import { createSseRoutes } from "./create-sse-routes.js";
import { Drain } from "./drain.js";
import type { HttpExchange } from "./http-exchange.js";
import { checkHost } from "./requests/check-host.js";
import { detectEra } from "./requests/detect-era.js";
import { parseRoute, type Route } from "./requests/parse-route.js";
import { readBody } from "./requests/read-body.js";
import { isJsonType, readHeaders } from "./requests/read-headers.js";
import { createSseWriters } from "./responses/create-sse-writer.js";
import { createStreamCount } from "./responses/create-stream-count.js";
import { HTTP_CODES, type Refusal } from "./responses/refusal.js";
import { createUnreadBytes } from "./responses/unread-bytes.js";
import { busy, endingConnection, writeJson, writeNothing, writeRefusal } from "./responses/write-response.js";
import { failRequest } from "./settle-work.js";

export interface HttpEdge {
  /** `false`: the address is not the edge's, and nothing was done. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Who may connect has changed: ends the sessions and streams of those who may not any more. */
  readonly review: () => void;
  /** From now on nothing new is begun; what is in flight goes on, and clients can still answer, cancel and resume. */
  readonly drain: () => void;
  /** Ends sessions and streams; later requests are refused. Does not close the server. */
  readonly close: () => Promise<void>;
}

export interface HttpEdgeOptions {
  readonly router: Router;
  /** Who asks; everybody may where it is absent. */
  readonly authenticate?: Authenticate;
  readonly limits?: EdgeLimits;
  /** Host names beside those of the loopback interface. */
  readonly allow?: readonly string[];
  readonly log?: Log;
  readonly clock?: EdgeClock;
  /** Between comments on streams that have nothing to say. */
  readonly keepAliveMs?: number;
  /** After how long a client that can resume is answered by a stream rather than kept waiting. */
  readonly patienceMs?: number;
}

/**
 * @example
 * const edge = createHttpEdge({ router });
 * const server = createServer(SERVER_SETTINGS, (req, res) => edge.handle(req, res) || notFound(res));
 */
export function createHttpEdge(options: HttpEdgeOptions): HttpEdge {
  const { router, limits = DEFAULT_EDGE_LIMITS, allow = [], log = silentLog, clock = systemClock } = options;
  const { keepAliveMs = 15_000, patienceMs = 250, authenticate } = options;
  const writers = createSseWriters();
  const admissions = createAdmissions(clock);
  const streams = createStreamCount(limits.streams);
  const quotas = createQuotas(limits, clock, log);
  const unread = createUnreadBytes(limits, log);
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

  /** Reads the body of a POST; what cannot be a message is refused here. */
  const readText = (http: HttpExchange, take: (bytes: Buffer) => void) => {
    const { req, res, headers } = http;
    if (!isJsonType(headers.get("content-type"))) {
      const message = "Unsupported Media Type: Content-Type must be application/json";
      return writeRefusal(res, endingConnection({ status: 415, code: HTTP_CODES.refused, message }));
    }
    readBody(req, limits.requestBytes, (body) => {
      if (body.kind === "gone") return;
      if (body.kind === "too-large") {
        const message = `Payload Too Large: a message has at most ${limits.requestBytes} bytes`;
        return writeRefusal(res, endingConnection({ status: 413, code: HTTP_CODES.refused, message }));
      }
      // Broken text would be put right silently, and two names become one.
      if (!isUtf8(body.bytes)) return writeRefusal(res, NOT_JSON);
      // Whoever was let in when the request began may not be any more.
      if (!admissions.admits(http.proof))
        return writeRefusal(res, endingConnection({ status: 401, code: HTTP_CODES.refused, message: ENDED }));
      try {
        take(body.bytes);
      } catch (error) {
        failRequest(res, error, log);
      }
    });
  };

  const post = (http: HttpExchange, bytes: Buffer) => {
    const plain = readPlain(bytes);
    if (plain !== undefined) return postMessage(http, plain);
    const parsed = parseMessage(bytes);
    if (!parsed.ok) return writeRefusal(http.res, refusalOfText(parsed));
    if (Array.isArray(parsed.value)) return legacy.postBatch(http, parsed.value);
    const read = readMessage(parsed.value, parsed.text);
    if (read.kind !== "invalid") return postMessage(http, read);
    const message = `Invalid Request: ${read.reason}`;
    writeRefusal(http.res, { status: 400, code: CODES.invalidRequest, message, id: read.id });
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
      return readText(http, (bytes) => {
        const parsed = parseMessage(bytes);
        if (parsed.ok) old.take(http, route.sessionId, parsed.value, parsed.text);
        else writeRefusal(res, refusalOfText(parsed));
      });
    }
    if (route.kind === "sse") return method === "GET" ? old.open(http) : writeRefusal(res, onlyStream());
    if (method === "POST") return readText(http, (bytes) => post(http, bytes));
    if (method === "GET") return legacy.get(http);
    if (method === "DELETE") return legacy.delete(http);
    writeRefusal(res, notAllowed("GET, POST, DELETE"));
  };

  /** Goes on with a request of which it is known whose it is. */
  const admit = (req: IncomingMessage, res: ServerResponse, asking: Asking, auth: AuthResult | undefined) => {
    const { route, headers } = asking;
    const proved = auth?.outcome === "known" && !auth.isAnonymous ? auth.principal : undefined;
    const isAnonymous = proved === undefined && auth?.outcome !== "refused";
    const caller = callerKey(proved, req.socket.remoteAddress);
    const share = quotas.of(caller);
    unread.watch(req.socket, share);
    // Without a proof, everything on this machine is one caller: a rate for it would be one for all.
    const tooFast = caller.isShared && isAnonymous ? undefined : share.countRequest(clock.elapsed());
    if (tooFast !== undefined) return writeRefusal(res, endingConnection(tooFast));
    if (auth?.outcome === "refused") return writeRefusal(res, endingConnection(authRefusal(auth)));
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
    serve({ req, res, headers, hints, proof: auth?.proof, share }, route);
  };

  return {
    handle(req, res) {
      const route = parseRoute(req.url ?? "");
      if (route === undefined) return false;
      const refusal = checkHost(req, allow) ?? (closed ? busy("The gateway is shutting down") : undefined);
      if (refusal !== undefined) {
        writeRefusal(res, endingConnection(refusal));
        return true;
      }
      // Whoever writes looks whether the client is still there; a race is no reason to fail.
      res.on("error", () => {});
      const sent = readHeaders(req);
      const asking = { route, headers: withoutCredentials(sent) };
      const admitLater = (auth: AuthResult): void => {
        // Who left meanwhile would never be seen leaving.
        if (res.destroyed || res.closed) return;
        if (closed) writeRefusal(res, endingConnection(busy("The gateway is shutting down")));
        else admit(req, res, asking, auth);
      };
      try {
        const auth = authenticate?.(sent);
        if (auth instanceof Promise)
          auth.then(admitLater).catch((error: unknown) => failRequest(res, error, log));
        else admit(req, res, asking, auth);
      } catch (error) {
        failRequest(res, error, log);
      }
      return true;
    },
    review: admissions.review,
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

const NOT_JSON: Refusal = { status: 400, code: CODES.parse, message: "Parse error: the body is not JSON" };
function refusalOfText({ isRefused, reason }: Extract<ParsedMessage, { ok: false }>): Refusal {
  if (isRefused !== true) return NOT_JSON;
  return { status: 400, code: CODES.invalidRequest, message: `Invalid Request: ${reason}` };
}

const ENDED = "Unauthorized: the access of this caller has ended";

interface Asking {
  readonly route: Route;
  readonly headers: ReadonlyMap<string, string>;
}

/** What proves who a caller is to the gateway is for nobody behind it. */
function withoutCredentials(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (!headers.has("authorization") && !headers.has("cookie")) return headers;
  const rest = new Map(headers);
  rest.delete("authorization");
  rest.delete("cookie");
  return rest;
}

function notAllowed(allow: string): Refusal {
  return { status: 405, code: HTTP_CODES.refused, message: "Method not allowed", headers: { allow } };
}

/** Clients of the newer transport are given the older one's address by mistake. */
function onlyStream(): Refusal {
  const message =
    "Method not allowed: GET opens the SSE stream here. A client of Streamable HTTP posts to /mcp instead.";
  return { ...notAllowed("GET"), message };
}
