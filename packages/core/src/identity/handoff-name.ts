// The default name of the tool that hands a conversation to another agent (ID-9). There is no second rule elsewhere.

import type { PublicName } from "./name-parts.js";
import { publicNameOf } from "./name-parts.js";

/**
 * Everything but ASCII letters, digits and `_` becomes `_`, one for each code point; then lower case. Two agents may
 * get one name, which `validateToolSet` finds.
 *
 * @example
 * handoffNameOf("Billing Agent"); // "transfer_to_billing_agent"
 */
export function handoffNameOf(agent: unknown): PublicName | undefined {
  const name = publicNameOf(agent);
  // Replaced before it is lowered: lower case of other scripts may bring ASCII letters back.
  return name && publicNameOf(`transfer_to_${name.replace(/[^A-Za-z0-9_]/gu, "_").toLowerCase()}`);
}
