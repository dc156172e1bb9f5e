// The gateway's HTTP server: MCP on node:http, everything else through hono.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { OnymError } from "@onym/core";
import type { Config } from "../config/config.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { createHttpEdge } from "../gateway/edge/create-http-edge.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../gateway/edge/edge-limits.js";
import { SERVER_BOUNDS, SERVER_SETTINGS } from "../gateway/edge/server-settings.js";
import { createSideRoutes } from "../gateway/side-routes.js";
import type { Log } from "../observe/log.js";

export interface HttpServing {
  /** Where clients connect. */
  readonly url: string;
  /** Takes no more requests, lets those under way end, closes the gateway. */
  readonly close: () => Promise<void>;
}

export interface HttpServingOptions {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly host: string;
  readonly port: number;
  readonly allow: readonly string[];
  readonly log: Log;
}

export async function serveHttp(options: HttpServingOptions): Promise<HttpServing> {
  const { gateway, config, host, port, allow, log } = options;
  const edge = createHttpEdge({ front: gateway.front, limits: edgeLimitsOf(config), allow, log });
  const side = createSideRoutes({ gateway, allow });
  const server = createServer(SERVER_SETTINGS, (req, res) => {
    if (!edge.handle(req, res)) side(req, res);
  });
  Object.assign(server, SERVER_BOUNDS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await gateway.close();
      await edge.close();
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(force);
    },
  };
}

export function edgeLimitsOf({ limits }: Config): EdgeLimits {
  const { requestBytes, sessions, sessionIdleMs, streams } = limits;
  return { ...DEFAULT_EDGE_LIMITS, requestBytes, sessions, sessionIdleMs, streams };
}

function cannotListen({ code }: NodeJS.ErrnoException, host: string, port: number): OnymError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is taken",
    EACCES: "that is not allowed",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "there is no such host",
  };
  return new OnymError(
    "cannot-listen",
    `Onym cannot listen on ${host}:${port}: ${reasons[code ?? ""] ?? code ?? "unknown reason"}.`,
    "Choose another with --port (0 picks a free one) or --host.",
  );
}
