// How the HTTP server below the edge is to be set up: slow or endless requests end here, before they cost memory.

import type { ServerOptions } from "node:http";

/** For `http.createServer`. A body has to arrive within `requestTimeout`; answers may take as long as they need. */
export const SERVER_SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
  // Two readings of one request are how requests are smuggled past a proxy.
  insecureHTTPParser: false,
  requireHostHeader: false,
  noDelay: true,
} as const satisfies ServerOptions;

/** To be set on the server itself; no constructor option of `node:http` covers them. */
export const SERVER_BOUNDS = { maxHeadersCount: 200, maxRequestsPerSocket: 0, timeout: 0 } as const;
