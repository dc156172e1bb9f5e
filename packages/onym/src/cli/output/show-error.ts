// Errors at the edge of the command line: what is told, and the exit code it comes to.

import type { ExitCode } from "../command.js";
import type { Terminal } from "../terminal.js";
import { wrapLines } from "./wrap-text.js";

/**
 * What Onym refuses is told in full, with the way out: exit 2. Anything else is a bug: it gets an id and exit 70,
 * because 0 and 1 are answers and 2 says that the user can fix it. Its text is shown with ONYM_DEBUG only.
 */
export function showError(error: unknown, terminal: Terminal): ExitCode {
  const { err, paintErr, errColumns } = terminal;
  const { ONYM_DEBUG: debug } = terminal.env;
  if (isOnymError(error)) {
    const told = `${paintErr("red", "error:")} ${error.message}`.split("\n");
    const lines = [...told, ...(error.hint === "" ? [] : [`  ${error.hint}`])];
    err(`${wrapLines(lines, errColumns).join("\n")}\n`);
    return 2;
  }
  err(`${paintErr("red", "internal error")} ${crypto.randomUUID().slice(0, 8)}\n`);
  if (debug) err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  else err("  This is a bug in Onym. Run again with ONYM_DEBUG=1 to see where it happened.\n");
  return 70;
}

/** By shape, so that nothing heavy is loaded to tell that a flag was mistyped. */
function isOnymError(error: unknown): error is Error & { readonly hint: string } {
  return error instanceof Error && error.name === "OnymError" && "hint" in error;
}
