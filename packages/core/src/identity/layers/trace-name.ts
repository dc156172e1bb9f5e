// The trace name: the label that people read in spans and logs. Never compared, never used to find a tool.

import {
  type FunctionTool,
  hasReservedNamespace,
  ownField,
  publicNameOf,
  readNameParts,
} from "../name-parts.js";
import { qualifiedNameOf } from "./qualified-name.js";

declare const traceName: unique symbol;

/** Layer 6: `crm.lookup`. Not escaped: escape it before writing it to a log. */
export type TraceName = string & { readonly [traceName]: true };

/**
 * The tool's explicit trace name, otherwise its name with its namespace.
 *
 * @example
 * traceNameOfTool({ name: "lookup", namespace: "crm" }); // "crm.lookup"
 * traceNameOfTool({ name: "lookup", traceName: "Customer lookup" }); // "Customer lookup"
 */
export function traceNameOfTool(tool: FunctionTool): TraceName | undefined {
  const explicit = publicNameOf(ownField(tool, "traceName"));
  return explicit === undefined ? traceNameOfCall(tool) : encodeTraceName(explicit);
}

/**
 * The label of one call. `x` in namespace `x` is the wire format of a deferred tool, so it collapses to `x`.
 *
 * @example
 * traceNameOfCall({ name: "search", namespace: "search" }); // "search"
 */
export function traceNameOfCall(call: unknown): TraceName | undefined {
  const parts = readNameParts(call);
  if (parts === undefined) return undefined;
  return encodeTraceName(hasReservedNamespace(parts) ? parts.name : qualifiedNameOf(parts));
}

function encodeTraceName(text: string | undefined): TraceName | undefined {
  return text as TraceName | undefined;
}
