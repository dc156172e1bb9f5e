// The qualified name: `namespace.name`, or the name alone. For display only: it is not injective, so it is never a
// key.

import { readNameParts } from "../name-parts.js";

declare const qualifiedName: unique symbol;

/** Layer 3, as people read it: `crm.lookup`. */
export type QualifiedName = string & { readonly [qualifiedName]: true };

/**
 * The qualified name of a tool or a call; `undefined` if it has no usable name.
 *
 * @example
 * qualifiedNameOf({ name: "search", namespace: "tools" }); // "tools.search"
 * qualifiedNameOf({ name: "search" }); // "search"
 */
export function qualifiedNameOf(named: unknown): QualifiedName | undefined {
  const parts = readNameParts(named);
  if (parts === undefined) return undefined;
  const text = parts.namespace === undefined ? parts.name : `${parts.namespace}.${parts.name}`;
  return text as string as QualifiedName;
}
