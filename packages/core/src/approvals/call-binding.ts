// What a decision about one call is bound to besides the tool's identity: the call id, the tool's definition, and
// the arguments (ID-11).

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";
import type { CallId } from "../identity/layers/call-id.js";
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
 * Binds a call in its present state. `undefined` if it has no id, because it could not be distinguished from the
 * next call. Show its arguments to a person, and record the same value.
 *
 * @throws TypeError for arguments or a definition that contain themselves; such values cannot be sent.
 *
 * @example
 * callBindingOf({ callId, definition: tool.definition, arguments: { to: "ann" } });
 */
export function callBindingOf(call: {
  readonly callId: CallId | undefined;
  /** `{}` for your own function without a definition. */
  readonly definition: ToolDefinition;
  readonly arguments: unknown;
}): CallBinding | undefined {
  return bindArguments({ ...call, definition: definitionDigest(call.definition) });
}

/** The same, if the digest of the definition is known. */
export function bindArguments(call: {
  readonly callId: CallId | undefined;
  readonly definition: DefinitionDigest;
  readonly arguments: unknown;
}): CallBinding | undefined {
  const { callId, definition } = call;
  if (callId === undefined) return undefined;
  return { callId, definition, arguments: argumentsDigest(call.arguments) };
}

/** Key order does not matter. Arguments that are still text count exactly as written. */
function argumentsDigest(given: unknown): ArgumentsDigest {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(given)))) as ArgumentsDigest;
}
