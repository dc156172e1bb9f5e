// What a decision about one call is bound to beside the tool's identity: its id, what the tool says it does, and what it
// is asked to do (ID-11).

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ToolDefinition } from "../catalog/tool.js";
import type { CallId } from "../identity/call-id.js";
import { canonicalJson } from "../identity/canonical-json.js";
import { type DefinitionDigest, definitionDigest } from "./definition-digest.js";

declare const argumentsDigestBrand: unique symbol;

/** SHA-256, 64 lower-case hexadecimal digits. */
export type ArgumentsDigest = string & { readonly [argumentsDigestBrand]: true };

export interface CallBinding {
  readonly callId: CallId;
  readonly definition: DefinitionDigest;
  readonly arguments: ArgumentsDigest;
}

/**
 * Binds a call as it is now; nothing where it has no id, because nobody could tell it from the next one. Show its
 * arguments to a person, and record the same value.
 *
 * @throws TypeError for arguments or a definition that contain themselves, which nobody can send.
 * @example
 * callBindingOf({ callId, definition: tool.definition, arguments: { to: "ann" } });
 */
export function callBindingOf(call: {
  readonly callId: CallId | undefined;
  /** `{}` for a function of your own that nothing is said about. */
  readonly definition: ToolDefinition;
  readonly arguments: unknown;
}): CallBinding | undefined {
  return bindArguments({ ...call, definition: definitionDigest(call.definition) });
}

/** The same, where the digest of the definition is known. */
export function bindArguments(call: {
  readonly callId: CallId | undefined;
  readonly definition: DefinitionDigest;
  readonly arguments: unknown;
}): CallBinding | undefined {
  const { callId, definition } = call;
  if (callId === undefined) return undefined;
  return { callId, definition, arguments: argumentsDigest(call.arguments) };
}

/** Order of keys does not count; arguments that are still text count exactly as written. */
function argumentsDigest(given: unknown): ArgumentsDigest {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(given)))) as ArgumentsDigest;
}
