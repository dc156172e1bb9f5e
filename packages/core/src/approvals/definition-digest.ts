// The definition digest identifies what a tool is, independent of its name. An approval is valid while it stays the
// same.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";

declare const definitionDigestBrand: unique symbol;

/** SHA-256, 64 lower-case hexadecimal digits. */
export type DefinitionDigest = string & { readonly [definitionDigestBrand]: true };

/**
 * Every member of a definition. The digest covers all of them: what a client or model sees is what was approved.
 */
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
 * Digest of everything that a tool's entry lists besides its name. A pure rename keeps it, and a change of any
 * other member changes it. Key order and absent members do not matter.
 *
 * @example
 * definitionDigest({ description: "Find leads" }) === definitionDigest({ description: "Find leads" }); // true
 */
export function definitionDigest(definition: ToolDefinition): DefinitionDigest {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(digestedFields(definition))))) as DefinitionDigest;
}

/** Exactly the fields that the digest covers; absent fields stay absent. */
export function digestedFields(definition: ToolDefinition): ToolDefinition {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
  );
}
