// The lookup key: the collision-free identity that every map and comparison uses (ID-1, ID-2).

import {
  type FunctionTool,
  hasReservedNamespace,
  type Namespace,
  ownField,
  type PublicName,
  readNameParts,
} from "../name-parts.js";

declare const lookupKey: unique symbol;

/** Layer 4: an encoded tuple. Two tools share a key only if they are the same tool. */
export type LookupKey = string & { readonly [lookupKey]: true };

type LookupTuple =
  | readonly ["bare", PublicName]
  | readonly ["namespaced", Namespace, PublicName]
  | readonly ["deferred_top_level", PublicName];

/**
 * The key that a provider's call asks for. A namespace that repeats the name is how the provider calls a deferred
 * top-level tool; it is never an ordinary namespace.
 *
 * @example
 * lookupKeyOfCall({ name: "search", namespace: "tools" }); // '["namespaced","tools","search"]'
 * lookupKeyOfCall({ name: "search", namespace: "search" }); // '["deferred_top_level","search"]'
 */
export function lookupKeyOfCall(call: unknown): LookupKey | undefined {
  const parts = readNameParts(call);
  if (parts === undefined) return undefined;
  if (parts.namespace === undefined) return encodeLookupKey(["bare", parts.name]);
  if (hasReservedNamespace(parts)) return encodeLookupKey(["deferred_top_level", parts.name]);
  return encodeLookupKey(["namespaced", parts.namespace, parts.name]);
}

/**
 * The key of a tool. A tool with a reserved namespace has none: its key would belong to the deferred top-level tool
 * of that name, or no call could send it. `validateToolSet` explains the refusal.
 *
 * @example
 * lookupKeyOfTool({ name: "lookup", deferred: true }); // '["deferred_top_level","lookup"]'
 * lookupKeyOfTool({ name: "lookup", namespace: "lookup" }); // undefined
 */
export function lookupKeyOfTool(tool: FunctionTool): LookupKey | undefined {
  const parts = readNameParts(tool);
  if (parts === undefined || hasReservedNamespace(parts)) return undefined;
  if (parts.namespace !== undefined) return encodeLookupKey(["namespaced", parts.namespace, parts.name]);
  return encodeLookupKey([isDeferredTopLevel(tool) ? "deferred_top_level" : "bare", parts.name]);
}

/** Deferred loading uses the synthetic namespace only for tools without an explicit namespace (ID-2). */
export function isDeferredTopLevel(tool: FunctionTool): boolean {
  const parts = readNameParts(tool);
  if (parts === undefined || parts.namespace !== undefined) return false;
  return ownField(tool, "deferred") === true || ownField(tool, "deferLoading") === true;
}

/** The only function that makes keys. JSON escapes the delimiters, so no two tuples share a text. */
function encodeLookupKey(tuple: LookupTuple): LookupKey {
  return JSON.stringify(tuple) as LookupKey;
}
