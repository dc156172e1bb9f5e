// A provider's call → the one tool it means, or the tools that all claim it. Nobody owns an ambiguous name.

import { dispatchNameOfCall } from "./dispatch-name.js";
import { isDeferredTopLevel, lookupKeyOfCall } from "./lookup-key.js";
import type { FunctionTool } from "./name-parts.js";
import { readNameParts } from "./name-parts.js";
import type { ToolSet } from "./tool-set.js";

export type CallResolution<T extends FunctionTool = FunctionTool> =
  | { readonly outcome: "resolved"; readonly tool: T }
  | { readonly outcome: "ambiguous"; readonly tools: readonly T[] }
  | { readonly outcome: "unknown" };

/**
 * A call with a namespace finds its key and nothing else. A call without one finds every tool that answers to that
 * label, dotted or bare; a bare tool comes before the deferred one of its name, which has a wire shape of its own.
 *
 * @example
 * resolveCall({ name: "crm.lookup" }, buildToolSet([{ name: "lookup", namespace: "crm" }]));
 * // { outcome: "resolved", tool: { name: "lookup", namespace: "crm" } }
 */
export function resolveCall<T extends FunctionTool>(call: unknown, tools: ToolSet<T>): CallResolution<T> {
  const claimants = claimantsOf(call, tools);
  const [tool] = claimants;
  if (tool === undefined) return { outcome: "unknown" };
  return claimants.length === 1 ? { outcome: "resolved", tool } : { outcome: "ambiguous", tools: claimants };
}

function claimantsOf<T extends FunctionTool>(call: unknown, tools: ToolSet<T>): readonly T[] {
  const parts = readNameParts(call);
  const key = lookupKeyOfCall(parts);
  const label = dispatchNameOfCall(parts);
  if (parts === undefined || key === undefined || label === undefined) return [];
  if (parts.namespace !== undefined) return tools.byKey.get(key) ?? [];
  const claimants = tools.byDispatchName.get(label) ?? [];
  return tools.byKey.has(key) ? claimants.filter((tool) => !isDeferredTopLevel(tool)) : claimants;
}
