// Whether a call was made before. The same id may come back only with the same tool and arguments (ID-6).

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { quoteText } from "../../names/escape-text.js";
import type { Problem } from "../../names/problem.js";
import { canonicalJson } from "../canonical-json.js";
import type { CallId } from "../layers/call-id.js";
import type { LookupKey } from "../layers/lookup-key.js";
import type { ToolKey } from "../tool-key.js";

declare const callFingerprint: unique symbol;

/** What one call asked for, short enough to keep for every call of a run. */
export type CallFingerprint = string & { readonly [callFingerprint]: true };

/** `first`: run it. `replay`: return the known answer, do not run it again. `conflict`: refuse it. */
export type Replay =
  | { readonly outcome: "first" }
  | { readonly outcome: "replay" }
  | { readonly outcome: "conflict"; readonly problem: Problem };

/**
 * Key order inside the arguments does not matter. Arguments that are still text are compared exactly.
 *
 * @example
 * callFingerprintOf({ key, arguments: { a: 1, b: 2 } }) === callFingerprintOf({ key, arguments: { b: 2, a: 1 } }); // true
 */
export function callFingerprintOf(call: {
  readonly key: LookupKey | ToolKey;
  readonly arguments: unknown;
}): CallFingerprint {
  const text = canonicalJson([call.key, call.arguments]);
  return bytesToHex(sha256(utf8ToBytes(text))) as CallFingerprint;
}

/**
 * Compares a call with earlier calls. A call without an id cannot be recognised, so it counts as first.
 *
 * @example
 * checkReplay({ callId, fingerprint }, new Map()); // { outcome: "first" }
 */
export function checkReplay(
  call: { readonly callId: CallId | undefined; readonly fingerprint: CallFingerprint },
  earlier: ReadonlyMap<CallId, CallFingerprint>,
): Replay {
  const known = call.callId === undefined ? undefined : earlier.get(call.callId);
  if (call.callId === undefined || known === undefined) return { outcome: "first" };
  if (known === call.fingerprint) return { outcome: "replay" };
  const problem: Problem = {
    code: "call-id-reused",
    severity: "error",
    message: `Call id ${quoteText(call.callId)} was already used for another tool or other arguments.`,
    fix: "Give every new call its own id; repeat an id only to repeat the very same call.",
  };
  return { outcome: "conflict", problem };
}
