// A provider's call as the selected tool may see it: without the synthetic namespace of deferred loading (ID-7).

import { lookupKeyOfCall, lookupKeyOfTool } from "./lookup-key.js";
import type { FunctionTool } from "./name-parts.js";
import { hasReservedNamespace, readNameParts } from "./name-parts.js";

/**
 * Strips the synthetic namespace on a copy, and only where the tool really is the deferred one the call means.
 * The call itself keeps it, for whatever identifies the model's call. Any other call is returned as it is.
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
