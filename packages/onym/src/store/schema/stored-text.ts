// Any text of a stranger as text that both engines keep exactly: neither takes NUL, and lone surrogates do not survive
// UTF-8. Ordinary text stays as it is.

import { createHash } from "node:crypto";

const UNSAFE = /[\\\0\p{Cs}]/gu;
const ESCAPED = /\\(\\|u[0-9a-f]{4})/g;

/**
 * @example
 * encodeText("a\0b"); // "a\\u0000b"
 */
export function encodeText(text: string): string {
  return text.replace(UNSAFE, (unit) =>
    unit === "\\" ? "\\\\" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function decodeText(stored: string): string {
  return stored.replace(ESCAPED, (_, mark: string) =>
    mark === "\\" ? "\\" : String.fromCharCode(Number.parseInt(mark.slice(1), 16)),
  );
}

// Keys of rows: a digest, because a stranger's text can be longer than an index takes.

/** Injective: parts are written as JSON, so that ("a", "bc") and ("ab", "c") differ. */
export function rowId(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
