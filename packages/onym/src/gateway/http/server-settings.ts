// Settings of the HTTP server below the edge: slow or endless requests end here, before they cost memory.

import type { ServerOptions } from "node:http";
import { ParsedRequest } from "./guard-connections.js";

/**
 * For `http.createServer`. A body must arrive within `requestTimeout`; replies may take as long as they need.
 */
export const SERVER_SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
  // Lenient parsing lets a proxy and the gateway read one request differently (request smuggling).
  insecureHTTPParser: false,
  requireHostHeader: false,
  noDelay: true,
  IncomingMessage: ParsedRequest,
} as const satisfies ServerOptions;

/** Set these on the server itself; `node:http` has no constructor options for them. */
export const SERVER_BOUNDS = { maxHeadersCount: 200, maxRequestsPerSocket: 0, timeout: 0 } as const;
