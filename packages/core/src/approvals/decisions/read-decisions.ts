// One stored decision → its value, or the reason why it cannot be read. Nothing is guessed, converted or ignored.

import type { ToolDefinition } from "../../catalog/tool.js";
import { type CallId, callIdOf } from "../../identity/layers/call-id.js";
import { ownField } from "../../identity/name-parts.js";
import { readToolKey } from "../../identity/tool-key.js";
import { quoteText } from "../../names/escape-text.js";
import { type ApprovalKey, approvalKeysOfCatalogTool, readStoredKey } from "../approval-keys.js";
import type { ArgumentsDigest, CallBinding } from "../call-binding.js";
import { type DefinitionDigest, definitionDigest, digestedFields } from "../definition-digest.js";
import type { Verdict } from "./decision-record.js";
import { type StandingDecision, type StandingKey, standingKeyOf } from "./standing-record.js";

/** The lists of a file: lasting decisions by key, single calls, and standing decisions about tools. */
export type Section = "always" | "calls" | "tools";

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export interface AlwaysEntry {
  readonly key: ApprovalKey;
  readonly verdict: Verdict;
}

export interface CallEntry {
  readonly callId: CallId;
  readonly keys: readonly ApprovalKey[];
  readonly verdict: Verdict;
  readonly call: CallBinding | undefined;
}

export function readAlways(json: unknown): Read<AlwaysEntry> {
  const odd = checkFields(json, ["key", "verdict"]);
  if (odd !== undefined) return refuse(odd);
  const key = readStoredKey(ownField(json, "key"));
  const verdict = readVerdict(ownField(json, "verdict"));
  if (key === undefined) return refuse('its "key" is no approval key');
  return verdict === undefined ? refuse(NO_VERDICT) : { ok: true, value: { key, verdict } };
}

export function readCall(json: unknown): Read<CallEntry> {
  const verdict = readVerdict(ownField(json, "verdict"));
  // Before decisions were bound to what was shown, they had neither digest. A rejection is still valid.
  const isBound = verdict !== "rejected" || BOUND_TO.some((field) => ownField(json, field) !== undefined);
  const odd = checkFields(json, ["callId", "keys", "verdict", ...(isBound ? BOUND_TO : [])]);
  if (odd !== undefined) return refuse(odd);
  const callId = callIdOf({ call_id: ownField(json, "callId") });
  const listed = ownField(json, "keys");
  const keys = Array.isArray(listed) ? listed.map(readStoredKey) : [];
  const sound = keys.filter((key) => key !== undefined);
  if (callId === undefined) return refuse('its "callId" is no text, or an empty one');
  if (sound.length === 0 || sound.length !== keys.length)
    return refuse('its "keys" are not all approval keys');
  if (verdict === undefined) return refuse(NO_VERDICT);
  const [definition, given] = BOUND_TO.map((field) => ownField(json, field));
  if (!isBound) return { ok: true, value: { callId, keys: sound, verdict, call: undefined } };
  if (!isDigest(definition)) return refuse('its "definition" is no digest');
  if (!isDigest(given)) return refuse('its "arguments" are no digest');
  const call: CallBinding = {
    callId,
    definition: definition as DefinitionDigest,
    arguments: given as ArgumentsDigest,
  };
  return { ok: true, value: { callId, keys: sound, verdict, call } };
}

/** The fields that a decision about a call has besides the call id. */
const BOUND_TO = ["definition", "arguments"];

function isDigest(json: unknown): json is string {
  return typeof json === "string" && /^[0-9a-f]{64}$/.test(json);
}

export function readStanding(json: unknown): Read<StandingDecision> {
  const verdict = readVerdict(ownField(json, "verdict"));
  const needed = ["principal", "tool", "verdict", ...(verdict === "approved" ? ["launch", "digest"] : [])];
  const odd = checkFields(json, needed, verdict === "approved" ? ["definition"] : []);
  if (odd !== undefined) return refuse(odd);
  const principal = ownField(json, "principal");
  const tool = readToolKey(ownField(json, "tool"));
  if (typeof principal !== "string") return refuse('its "principal" is no text');
  if (tool === undefined) return refuse('its "tool" is no tool');
  if (verdict === undefined) return refuse(NO_VERDICT);
  if (verdict === "rejected") return { ok: true, value: { verdict, principal, tool } };
  const launch = ownField(json, "launch");
  const digest = ownField(json, "digest");
  if (typeof launch !== "string") return refuse('its "launch" is no text');
  if (!isDigest(digest)) return refuse('its "digest" is no digest');
  const approval = {
    verdict,
    principal,
    tool,
    launch,
    digest: digest as DefinitionDigest,
  };
  const definition = ownField(json, "definition");
  if (definition === undefined) return { ok: true, value: approval };
  // A definition other than the approved one would make a real change look small.
  if (!isDefinition(definition) || definitionDigest(definition) !== digest)
    return refuse('its "definition" is not the one that its "digest" is of');
  return { ok: true, value: { ...approval, definition } };
}

/** The calls and tools that an unreadable entry is about, as far as they can be determined. */
export interface Subjects {
  readonly keys: readonly ApprovalKey[];
  readonly callIds: readonly CallId[];
  readonly standing: readonly StandingKey[];
  /** The list is complete. */
  readonly isWhole: boolean;
}

export function subjectsOfAlways(json: unknown): Subjects {
  const key = readStoredKey(ownField(json, "key"));
  const keys = key === undefined ? [] : [key];
  return { keys, callIds: [], standing: [], isWhole: key !== undefined };
}

export function subjectsOfCall(json: unknown): Subjects {
  const given = ownField(json, "keys");
  const named = Array.isArray(given) ? given.map(readStoredKey) : [];
  const keys = named.filter((key) => key !== undefined);
  const callId = callIdOf({ call_id: ownField(json, "callId") });
  const isWhole = callId !== undefined && keys.length > 0 && keys.length === named.length;
  return { keys, callIds: callId === undefined ? [] : [callId], standing: [], isWhole };
}

export function subjectsOfStanding(json: unknown): Subjects {
  const tool = readToolKey(ownField(json, "tool"));
  const principal = ownField(json, "principal");
  const none = { keys: [], callIds: [], standing: [] };
  if (tool === undefined) return { ...none, isWhole: false };
  if (typeof principal === "string")
    return { ...none, standing: [standingKeyOf({ principal, tool })], isWhole: true };
  return { ...none, keys: [approvalKeysOfCatalogTool(tool).canonical], isWhole: true };
}

const NO_VERDICT = 'its "verdict" is neither "approved" nor "rejected"';

function checkFields(
  json: unknown,
  needed: readonly string[],
  optional: readonly string[] = [],
): string | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return "it is not an object";
  const missing = needed.find((field) => !Object.hasOwn(json, field));
  if (missing !== undefined) return `it has no "${missing}"`;
  const extra = Object.keys(json).find((field) => !needed.includes(field) && !optional.includes(field));
  return extra === undefined ? undefined : `it has a field ${quoteText(extra)} that is not known`;
}

function readVerdict(json: unknown): Verdict | undefined {
  return json === "approved" || json === "rejected" ? json : undefined;
}

function isDefinition(json: unknown): json is ToolDefinition {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  const known = digestedFields(json);
  return Object.keys(json).every((field) => Object.hasOwn(known, field));
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
