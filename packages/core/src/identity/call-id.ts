// The call id: names one invocation, not a tool. Taken as the provider gave it, or not at all (ID-6).

import { ownField } from "./name-parts.js";

declare const callId: unique symbol;

/** Layer 7: one invocation. Never empty. */
export type CallId = string & { readonly [callId]: true };

/**
 * Reads `call_id`, else `id`; an MCP approval request is identified by its `id` alone. A value that is no text is
 * never converted, and a malformed `call_id` does not fall back to `id`: the two may name different things.
 *
 * @example
 * callIdOf({ call_id: "c1" }); // "c1"
 * callIdOf({ call_id: 5, id: "i1" }); // undefined
 */
export function callIdOf(call: unknown): CallId | undefined {
  const isApprovalRequest = ownField(call, "type") === "mcp_approval_request";
  const given = isApprovalRequest ? undefined : ownField(call, "call_id");
  const isAbsent = given === undefined || given === null || given === "";
  const id = isAbsent ? ownField(call, "id") : given;
  return typeof id === "string" && id !== "" ? (id as CallId) : undefined;
}
