// The tools one model can call, indexed by key and by dispatch name. Keeps every claimant, so no tool shadows
// another.

import { type DispatchName, dispatchNameOfTool } from "../layers/dispatch-name.js";
import { type LookupKey, lookupKeyOfTool } from "../layers/lookup-key.js";
import type { FunctionTool } from "../name-parts.js";

/** Immutable. A tool without a key (no name, or a reserved namespace) is in no index and cannot be called. */
export interface ToolSet<T extends FunctionTool = FunctionTool> {
  readonly byKey: ReadonlyMap<LookupKey, readonly T[]>;
  readonly byDispatchName: ReadonlyMap<DispatchName, readonly T[]>;
}

/**
 * @example
 * buildToolSet([{ name: "lookup", namespace: "crm" }]);
 */
export function buildToolSet<T extends FunctionTool>(tools: readonly T[]): ToolSet<T> {
  return {
    byKey: groupBy(tools, lookupKeyOfTool),
    byDispatchName: groupBy(tools, dispatchNameOfTool),
  };
}

/** Groups in order of first appearance. Items without a key are left out. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K | undefined): Map<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
