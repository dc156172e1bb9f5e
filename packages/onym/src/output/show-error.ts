// Errors at the edge of the command line: what is printed, and the exit code it comes to.

import type { OnymError, OnymErrorCode } from "../model/onym-error.js";
import { nameProgram } from "./package-folder.js";
import type { Terminal } from "./terminal.js";
import { wrapLines } from "./wrap-text.js";

/** 0 fine, 1 findings or not resolved, 2 usage or configuration (Appendix A); 70 is a bug in Onym. */
export type ExitCode = 0 | 1 | 2 | 70;

/**
 * What Onym refuses is printed in full, with the way out: exit 2. Anything else is a bug: it gets an id and exit 70,
 * because 0 and 1 are answers and 2 says that the user can fix it. Its text is shown with ONYM_DEBUG only.
 */
export function showError(error: unknown, terminal: Terminal): ExitCode {
  const { err, paintErr, errColumns } = terminal;
  const { ONYM_DEBUG: debug } = terminal.env;
  if (isOnymError(error)) {
    const message = `${paintErr("red", "error:")} ${error.message}`.split("\n");
    const lines = [...message, ...(error.hint === "" ? [] : [`  ${nameProgram(error.hint, terminal.env)}`])];
    err(`${wrapLines(lines, errColumns).join("\n")}\n`);
    return EXIT_CODES[error.code] ?? 2;
  }
  err(`${paintErr("red", "internal error")} ${crypto.randomUUID().slice(0, 8)}\n`);
  if (debug) err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  else err("  This is a bug in Onym. Run again with ONYM_DEBUG=1 to see where it happened.\n");
  return 70;
}

/** 2: the user can do something about it. 70: a refusal of the gateway that a command never meets. */
export const EXIT_CODES: Readonly<Record<OnymErrorCode, ExitCode>> = {
  usage: 2,
  "unknown-profile": 2,
  "config-missing": 2,
  "config-invalid": 2,
  "config-untrusted": 2,
  "config-unwritable": 2,
  "trust-unwritable": 2,
  "unreadable-file": 2,
  "import-unreadable": 2,
  "client-unreadable": 2,
  "client-uneditable": 2,
  "file-unwritable": 2,
  "lock-corrupt": 2,
  "lock-newer": 2,
  "lock-unreadable": 2,
  "lock-unwritable": 2,
  "cannot-listen": 2,
  "server-unusable": 2,
  "sign-in-failed": 2,
  "no-store": 2,
  "store-location": 2,
  "store-unavailable": 2,
  "store-corrupt": 2,
  "store-newer": 2,
  "audit-unavailable": 2,
  "parse-error": 70,
  "invalid-request": 70,
  "bad-request": 70,
  unauthenticated: 70,
  forbidden: 70,
  "session-not-found": 70,
  "method-not-allowed": 70,
  "not-acceptable": 70,
  "payload-too-large": 70,
  "unsupported-media-type": 70,
  "too-many-requests": 70,
  busy: 70,
  "shutting-down": 70,
  "auth-unavailable": 70,
  internal: 70,
};

/** By shape, so that nothing heavy is loaded to report a mistyped flag. */
function isOnymError(error: unknown): error is OnymError {
  return error instanceof Error && error.name === "OnymError" && "hint" in error;
}
