// The lookup key: the collision-free identity behind every map and every equality (ID-1, ID-2).

import type { FunctionTool, Namespace, PublicName } from "./name-parts.js";
import { hasReservedNamespace, ownField, readNameParts } from "./name-parts.js";

declare const lookupKey: unique symbol;

/** Layer 4: an encoded tuple. Two tools share a key only when they are the same tool. */
export type LookupKey = string & { readonly [lookupKey]: true };

type LookupTuple =
  | readonly ["bare", PublicName]
  | readonly ["namespaced", Namespace, PublicName]
  | readonly ["deferred_top_level", PublicName];

/**
 * The key that a provider's call asks for. A namespace that repeats the name is the provider's way to call a
 * deferred top-level tool, never an ordinary namespace.
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
 * The one key of a tool. A tool with a reserved namespace has none: any key it could get belongs to the deferred
 * top-level tool of that name, or can be sent by no call. `validateToolSet` explains the refusal.
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

/** Deferred loading puts a tool on the synthetic path only where no explicit namespace already names it (ID-2). */
export function isDeferredTopLevel(tool: FunctionTool): boolean {
  const parts = readNameParts(tool);
  if (parts === undefined || parts.namespace !== undefined) return false;
  return ownField(tool, "deferred") === true || ownField(tool, "deferLoading") === true;
}

/** The only maker. JSON escapes what could end a part, so that no two tuples share a text. */
function encodeLookupKey(tuple: LookupTuple): LookupKey {
  return JSON.stringify(tuple) as LookupKey;
}
