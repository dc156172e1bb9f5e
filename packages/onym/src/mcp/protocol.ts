// Facts of the MCP protocol that both sides of the gateway use (GW-1).

/** `legacy`: a connection begins with initialize. `modern`: requests are stateless (2026-07-28). */
export type Era = "legacy" | "modern";

export const MODERN_REVISION = "2026-07-28";

/** Newest first. */
export const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export const LATEST_LEGACY_REVISION = LEGACY_REVISIONS[0];

/** Reserved keys of `_meta`. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Up to 2025-11-25; later revisions use invalid params. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedRevision: -32022,
} as const;

/** Least important first; a level admits itself and every later one. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel);
}

/** Requests that a server may send to its client while a request runs. */
export const SERVER_REQUEST_METHODS = ["sampling/createMessage", "elicitation/create", "roots/list"] as const;
