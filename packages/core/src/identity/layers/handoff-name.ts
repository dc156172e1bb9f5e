// The default name of the tool that hands a conversation to another agent (ID-9). This is the only place with this
// rule.

import { type PublicName, publicNameOf } from "../name-parts.js";

/**
 * Every code point except ASCII letters, digits and `_` becomes `_`; then the name is lower-cased. Two agents may
 * get the same name; `validateToolSet` reports that.
 *
 * @example
 * handoffNameOf("Billing Agent"); // "transfer_to_billing_agent"
 */
export function handoffNameOf(agent: unknown): PublicName | undefined {
  const name = publicNameOf(agent);
  // Replace before lower-casing: lower-casing characters of other scripts can produce ASCII letters.
  return name && publicNameOf(`transfer_to_${name.replace(/[^A-Za-z0-9_]/gu, "_").toLowerCase()}`);
}
