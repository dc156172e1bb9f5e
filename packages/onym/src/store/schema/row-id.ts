// Keys of rows: a digest, because a stranger's text can be longer than an index takes.

import { createHash } from "node:crypto";

/** Injective: parts are written as JSON, so that ("a", "bc") and ("ab", "c") differ. */
export function rowId(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
