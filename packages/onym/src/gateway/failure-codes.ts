// Maps every failure code to a JSON-RPC error code and an HTTP status. Both maps are exhaustive, so that the
// compiler reports a missing code.

import { CODES } from "../mcp/protocol.js";
import type { OnymErrorCode } from "../model/onym-error.js";

/** For requests that HTTP refuses; the code that MCP servers use. */
const REFUSED = -32000;
const SESSION_NOT_FOUND = -32001;

export const RPC_CODES: Readonly<Record<OnymErrorCode, number>> = {
  usage: CODES.internal,
  "unknown-profile": CODES.invalidParams,
  "config-missing": CODES.internal,
  "config-invalid": CODES.internal,
  "config-untrusted": CODES.internal,
  "config-unwritable": CODES.internal,
  "trust-unwritable": CODES.internal,
  "unreadable-file": CODES.internal,
  "import-unreadable": CODES.internal,
  "client-unreadable": CODES.internal,
  "client-uneditable": CODES.internal,
  "file-unwritable": CODES.internal,
  "lock-corrupt": CODES.internal,
  "lock-newer": CODES.internal,
  "lock-unreadable": CODES.internal,
  "lock-unwritable": CODES.internal,
  "cannot-listen": CODES.internal,
  "server-unusable": CODES.internal,
  "sign-in-failed": CODES.internal,
  "no-store": CODES.internal,
  "store-location": CODES.internal,
  "store-unavailable": CODES.internal,
  "store-corrupt": CODES.internal,
  "store-newer": CODES.internal,
  "audit-unavailable": CODES.internal,
  "parse-error": CODES.parse,
  "invalid-request": CODES.invalidRequest,
  "bad-request": REFUSED,
  unauthenticated: REFUSED,
  forbidden: REFUSED,
  "session-not-found": SESSION_NOT_FOUND,
  "method-not-allowed": REFUSED,
  "not-acceptable": REFUSED,
  "payload-too-large": REFUSED,
  "unsupported-media-type": REFUSED,
  "too-many-requests": REFUSED,
  busy: REFUSED,
  "shutting-down": REFUSED,
  "auth-unavailable": REFUSED,
  internal: CODES.internal,
};

export const HTTP_STATUSES = {
  usage: 500,
  "unknown-profile": 400,
  "config-missing": 500,
  "config-invalid": 500,
  "config-untrusted": 500,
  "config-unwritable": 500,
  "trust-unwritable": 500,
  "unreadable-file": 500,
  "import-unreadable": 500,
  "client-unreadable": 500,
  "client-uneditable": 500,
  "file-unwritable": 500,
  "lock-corrupt": 500,
  "lock-newer": 500,
  "lock-unreadable": 500,
  "lock-unwritable": 500,
  "cannot-listen": 500,
  "server-unusable": 502,
  "sign-in-failed": 502,
  "no-store": 500,
  "store-location": 500,
  "store-unavailable": 503,
  "store-corrupt": 503,
  "store-newer": 503,
  "audit-unavailable": 503,
  "parse-error": 400,
  "invalid-request": 400,
  "bad-request": 400,
  unauthenticated: 401,
  forbidden: 403,
  "session-not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  "payload-too-large": 413,
  "unsupported-media-type": 415,
  "too-many-requests": 429,
  busy: 503,
  "shutting-down": 503,
  "auth-unavailable": 503,
  internal: 500,
} as const satisfies Readonly<Record<OnymErrorCode, number>>;

// Formats a thrown value for the log. It is a bug in the gateway, so the stack is included.

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
