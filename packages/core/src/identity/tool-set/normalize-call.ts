// A provider's call as the selected tool sees it: without the synthetic namespace of deferred loading (ID-7).

import { lookupKeyOfCall, lookupKeyOfTool } from "../layers/lookup-key.js";
import { type FunctionTool, hasReservedNamespace, readNameParts } from "../name-parts.js";

/**
 * Removes the synthetic namespace on a copy, and only if the tool is the deferred one that the call means. The
 * original call keeps it, for code that identifies the model's call. Any other call is returned unchanged.
 *
 * @example
 * normalizeCall({ name: "lookup", namespace: "lookup" }, { name: "lookup", deferred: true }); // { name: "lookup" }
 */
export function normalizeCall<Call>(call: Call, tool: FunctionTool): Call | Omit<Call, "namespace"> {
  const parts = readNameParts(call);
  if (parts === undefined || !hasReservedNamespace(parts)) return call;
  if (lookupKeyOfCall(parts) !== lookupKeyOfTool(tool)) return call;
  const { namespace: _synthetic, ...rest } = call as Call & { readonly namespace: unknown };
  return rest;
}
