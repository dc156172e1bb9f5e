// A provider's call → the one tool it means, or all tools that claim it. An ambiguous name resolves to no tool.

import { dispatchNameOfCall } from "../layers/dispatch-name.js";
import { isDeferredTopLevel, lookupKeyOfCall } from "../layers/lookup-key.js";
import { type FunctionTool, readNameParts } from "../name-parts.js";
import type { ToolSet } from "./tool-set.js";

export type CallResolution<T extends FunctionTool = FunctionTool> =
  | { readonly outcome: "resolved"; readonly tool: T }
  | { readonly outcome: "ambiguous"; readonly tools: readonly T[] }
  | { readonly outcome: "unknown" };

/**
 * A call with a namespace matches only its key. A call without one matches every tool with that label, dotted or
 * bare. A bare tool takes precedence over the deferred tool of the same name, which has a different wire format.
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
