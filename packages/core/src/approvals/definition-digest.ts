// The definition digest: what a tool is, whatever it is called. An approval holds as long as it stays the same.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";

declare const definitionDigestBrand: unique symbol;

/** SHA-256, 64 lower-case hexadecimal digits. */
export type DefinitionDigest = string & { readonly [definitionDigestBrand]: true };

/** Every member of a definition. The digest is of all of them: what a client or model is shown is what was approved. */
const FIELDS = [
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "_meta",
  "others",
] as const satisfies readonly (keyof ToolDefinition)[];

/**
 * Digest of everything that is listed of a tool beside its name: a pure rename keeps it, any change of another member
 * changes it, the order of keys does not count. Members that are absent do not count either.
 *
 * @example
 * definitionDigest({ description: "Find leads" }) === definitionDigest({ description: "Find leads" }); // true
 */
export function definitionDigest(definition: ToolDefinition): DefinitionDigest {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(digestedFields(definition))))) as DefinitionDigest;
}

/** What the digest speaks for, and nothing beside it; absent fields stay absent. */
export function digestedFields(definition: ToolDefinition): ToolDefinition {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
  );
}
