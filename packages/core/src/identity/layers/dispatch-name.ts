// The dispatch name: the label that routes a call that has no namespace field.

import { type FunctionTool, hasReservedNamespace, readNameParts } from "../name-parts.js";
import { qualifiedNameOf } from "./qualified-name.js";

declare const dispatchName: unique symbol;

/** Layer 3, as calls are routed: `crm.lookup`, or the bare name. Several tools may claim the same one. */
export type DispatchName = string & { readonly [dispatchName]: true };

/**
 * The label a tool answers to. A tool with a reserved namespace has none (ID-2).
 *
 * @example
 * dispatchNameOfTool({ name: "lookup", namespace: "crm" }); // "crm.lookup"
 * dispatchNameOfTool({ name: "lookup", deferred: true }); // "lookup"
 */
export function dispatchNameOfTool(tool: FunctionTool): DispatchName | undefined {
  const parts = readNameParts(tool);
  if (parts === undefined || hasReservedNamespace(parts)) return undefined;
  return encodeDispatchName(qualifiedNameOf(parts));
}

/**
 * The label a call asks for, without the synthetic namespace of a deferred tool.
 *
 * @example
 * dispatchNameOfCall({ name: "lookup", namespace: "lookup" }); // "lookup"
 */
export function dispatchNameOfCall(call: unknown): DispatchName | undefined {
  const parts = readNameParts(call);
  if (parts === undefined) return undefined;
  return encodeDispatchName(hasReservedNamespace(parts) ? parts.name : qualifiedNameOf(parts));
}

function encodeDispatchName(text: string | undefined): DispatchName | undefined {
  return text as DispatchName | undefined;
}
