// The product's only error type. Its code alone decides the outcome: the exit code in `output/show-error.ts`,
// the JSON-RPC error and HTTP status in `gateway/failure-codes.ts`. `docs/errors.md` lists the codes.

import { OnymError as CoreError } from "@onym/core";

/** Every named failure. Stable: users and scripts see these in output, logs and `data.reason`. */
export type OnymErrorCode =
  // Command line, files and config.
  | "usage"
  | "unknown-profile"
  | "config-missing"
  | "config-invalid"
  | "config-untrusted"
  | "config-unwritable"
  | "trust-unwritable"
  | "unreadable-file"
  | "import-unreadable"
  | "client-unreadable"
  | "client-uneditable"
  | "file-unwritable"
  | "lock-corrupt"
  | "lock-newer"
  | "lock-unreadable"
  | "lock-unwritable"
  | "cannot-listen"
  | "server-unusable"
  | "sign-in-failed"
  // The store.
  | "no-store"
  | "store-location"
  | "store-unavailable"
  | "store-corrupt"
  | "store-newer"
  | "audit-unavailable"
  // Requests that the gateway refuses before they become calls.
  | "parse-error"
  | "invalid-request"
  | "bad-request"
  | "unauthenticated"
  | "forbidden"
  | "session-not-found"
  | "method-not-allowed"
  | "not-acceptable"
  | "payload-too-large"
  | "unsupported-media-type"
  | "too-many-requests"
  | "busy"
  | "shutting-down"
  | "auth-unavailable"
  | "internal";

/** `message` says what happened and to which name; `hint` says what to do. */
export class OnymError extends CoreError {
  declare readonly code: OnymErrorCode;

  constructor(code: OnymErrorCode, message: string, hint: string, options?: { cause?: unknown }) {
    super(code, message, hint, options);
  }
}

/** The error code from Node, the operating system or a driver; empty if there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
