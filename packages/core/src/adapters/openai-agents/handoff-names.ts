// The names that the Agents SDK for JavaScript gives to handoffs.

import { handoffNameOf } from "../../identity/handoff-name.js";

/**
 * What handoffs to these agents are called: as ID-9 has it, and as the SDK for JavaScript does, which keeps capitals
 * and writes one `_` for each half of a surrogate pair.
 */
export function handoffNames(agents: readonly string[]): readonly string[] {
  return agents.flatMap((agent) => {
    const name = handoffNameOf(agent);
    return name === undefined ? [] : [name, `transfer_to_${agent.replace(/[^a-zA-Z0-9]/g, "_")}`];
  });
}
