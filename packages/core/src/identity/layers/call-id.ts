// The call id identifies one invocation, not a tool. It is used exactly as the provider sent it, or not at all
// (ID-6).

import { ownField } from "../name-parts.js";
import { readHostedRequest } from "./hosted-request.js";

declare const callId: unique symbol;

/** Layer 7: one invocation. Never empty. */
export type CallId = string & { readonly [callId]: true };

/**
 * Reads `call_id` (`callId` in the OpenAI Agents SDK), then `id`, then the ids in the provider's data. An MCP
 * approval request is identified only by its own id. A value that is not text is never converted. A malformed
 * `call_id` does not fall back to `id`, because the two may identify different things. A call whose two ids differ
 * has no call id.
 *
 * @example
 * callIdOf({ call_id: "c1" }); // "c1"
 * callIdOf({ call_id: 5, id: "i1" }); // undefined
 */
export function callIdOf(call: unknown): CallId | undefined {
  const given = idsOf(call).find((id) => !isAbsent(id));
  return typeof given === "string" ? (given as CallId) : undefined;
}

/** Where an id can be, in order of precedence. */
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
