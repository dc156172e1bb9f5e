// The definition digest: what a tool is, whatever it is called. An approval holds as long as it stays the same.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";

declare const definitionDigestBrand: unique symbol;

/** SHA-256, 64 lower-case hexadecimal digits. */
export type DefinitionDigest = string & { readonly [definitionDigestBrand]: true };

/**
 * Digest of title, description, schemas and annotations, and of nothing else: a pure rename keeps it, any change of
 * these fields changes it, the order of keys does not count.
 *
 * @example
 * definitionDigest({ description: "Find leads" }) === definitionDigest({ description: "Find leads" }); // true
 */
export function definitionDigest(definition: ToolDefinition): DefinitionDigest {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(digestedFields(definition))))) as DefinitionDigest;
}

/** What the digest speaks for, and nothing beside it; absent fields stay absent. */
export function digestedFields(definition: ToolDefinition): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations } = definition;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
