// Puts a text together again, with the names that are valid for one caller.

import type { TextPart } from "./find-references.js";

/**
 * @example
 * renderReferences(["Call ", { raw: "read_file" }], () => "fs_read_file"); // "Call fs_read_file"
 */
export function renderReferences(parts: readonly TextPart[], nameOf: (raw: string) => string): string {
  return parts.map((part) => (typeof part === "string" ? part : nameOf(part.raw))).join("");
}
