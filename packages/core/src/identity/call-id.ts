// The call id: names one invocation, not a tool. Taken as the provider gave it, or not at all (ID-6).

import { readHostedRequest } from "./hosted-request.js";
import { ownField } from "./name-parts.js";

declare const callId: unique symbol;

/** Layer 7: one invocation. Never empty. */
export type CallId = string & { readonly [callId]: true };

/**
 * Reads `call_id` (`callId` in the OpenAI Agents SDK), else `id`, else what the provider's data holds; an MCP approval
 * request is identified by its own id alone. A value that is no text is never converted, and a malformed `call_id` does
 * not fall back to `id`: the two may name different things. Neither does a call that has two ids and they differ.
 *
 * @example
 * callIdOf({ call_id: "c1" }); // "c1"
 * callIdOf({ call_id: 5, id: "i1" }); // undefined
 */
export function callIdOf(call: unknown): CallId | undefined {
  const given = idsOf(call).find((id) => !isAbsent(id));
  return typeof given === "string" ? (given as CallId) : undefined;
}

/** Where an id may stand, in the order in which it counts. */
function idsOf(call: unknown): readonly unknown[] {
  const request = readHostedRequest(call);
  if (request !== undefined) return request.ids;
  const [wire, own] = [ownField(call, "call_id"), ownField(call, "callId")];
  if (!isAbsent(wire) && !isAbsent(own) && wire !== own) return [];
  const data = ownField(call, "providerData");
  return [wire, own, ownField(call, "id"), ownField(data, "id"), ownField(data, "itemId")];
}

function isAbsent(id: unknown): boolean {
  return id === undefined || id === null || id === "";
}
