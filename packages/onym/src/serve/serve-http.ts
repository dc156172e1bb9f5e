// The gateway's HTTP server: MCP on node:http, everything else through hono.

import { createServer } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { OnymError } from "@onym/core";
import type { Config } from "../config/config.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { createHttpEdge } from "../gateway/http/create-http-edge.js";
import { guardConnections } from "../gateway/http/guard-connections.js";
import { createHealthRoutes } from "../gateway/http/health-routes.js";
import { SERVER_BOUNDS, SERVER_SETTINGS } from "../gateway/http/server-settings.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../gateway/sessions/edge-limits.js";
import type { Log } from "../model/log.js";
import { maxConnections } from "./max-connections.js";
import type { Callers } from "./parts/open-callers.js";

export interface HttpServing {
  /** Where clients connect. */
  readonly url: string;
  /** Is not ready any more and begins nothing new, lets requests in flight end, closes the gateway. */
  readonly close: () => Promise<void>;
}

export interface HttpServingOptions {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly host: string;
  readonly port: number;
  readonly allow: readonly string[];
  readonly log: Log;
  readonly callers: Callers;
  /** Why calls are refused, whoever makes them. */
  readonly trouble: () => Promise<unknown>;
}

export async function serveHttp(options: HttpServingOptions): Promise<HttpServing> {
  const { gateway, config, host, port, log, callers } = options;
  const { authenticator } = callers;
  const { authenticate } = authenticator;
  const allow = [...options.allow, ...callers.hosts];
  const limits = edgeLimitsOf(config);
  const edge = createHttpEdge({ router: gateway.router, authenticate, limits, allow, log });
  callers.onChange(edge.review);
  let isDraining = false;
  const side = createHealthRoutes({
    gateway,
    allow,
    authenticator,
    trouble: options.trouble,
    isDraining: () => isDraining,
  });
  const server = createServer(SERVER_SETTINGS);
  Object.assign(server, SERVER_BOUNDS);
  const max = maxConnections({ wanted: config.limits.connections, servers: config.servers.length, log });
  const sockets = guardConnections(server, { max, log }, (req, res) => {
    if (!edge.handle(req, res)) side(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      void cannotListen(error, host, port).then(reject);
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`;
  callers.listensOn(url);
  return {
    url,
    async close() {
      // Not ready any more before anything else: load balancers look there. Until the last call has ended it still
      // listens, so that whoever comes meanwhile is told to go elsewhere.
      isDraining = true;
      edge.drain();
      await gateway.close();
      // That of node:http would cut off answers that are made but not sent yet; this one only stops listening.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await edge.close();
      await allWritten(sockets, WRITE_MS);
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(force);
    },
  };
}

/** How long clients may take to read what they were answered before the end. */
const WRITE_MS = 5_000;
const LOOK_MS = 20;

async function allWritten(sockets: ReadonlySet<Socket>, ms: number): Promise<void> {
  // Answers of this turn are written at its end.
  await new Promise((resolve) => setImmediate(resolve));
  const end = Date.now() + ms;
  while (Date.now() < end && [...sockets].some(({ writableLength }) => writableLength > 0))
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

export function edgeLimitsOf({ limits }: Config): EdgeLimits {
  const { requestBytes, sessions, sessionIdleMs, streams } = limits;
  const { callerSessions, callerStreams, callerPending, callerQuestions, callerRate } = limits;
  const { connectionUnreadBytes, callerUnreadBytes, unreadBytes, unreadMs } = limits;
  return {
    ...DEFAULT_EDGE_LIMITS,
    requestBytes,
    sessions,
    sessionIdleMs,
    streams,
    callerSessions,
    callerStreams,
    callerPending,
    callerQuestions,
    callerRate,
    connectionUnreadBytes,
    callerUnreadBytes,
    unreadBytes,
    unreadMs,
  };
}

async function cannotListen({ code }: NodeJS.ErrnoException, host: string, port: number): Promise<OnymError> {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program has the port",
    EACCES: "that is not allowed",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "there is no such host",
  };
  const other = code === "EADDRINUSE" && (await isOnymThere(host, port));
  const reason = other ? "an Onym runs there already" : (reasons[code ?? ""] ?? code ?? "unknown reason");
  const hint = "Choose another with --port (0 picks a free one) or --host.";
  return new OnymError(
    "cannot-listen",
    `Onym cannot listen on ${host}:${port}: ${reason}.`,
    other ? `Let clients connect to that one, or end it. ${hint}` : hint,
  );
}

async function isOnymThere(host: string, port: number): Promise<boolean> {
  const { askReadiness } = await import("../cli/setup/doctor/check-port.js");
  const near = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host;
  const name = near.includes(":") && !near.startsWith("[") ? `[${near}]` : near;
  return (await askReadiness(`http://${name}:${port}/readyz`)) !== undefined;
}
