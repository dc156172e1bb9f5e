// The names that the Agents SDK for JavaScript gives to handoffs.

import { handoffNameOf } from "../../identity/layers/handoff-name.js";

/**
 * The names of handoffs to these agents: as ID-9 defines them, and as the SDK for JavaScript makes them, which
 * keeps capitals and writes one `_` for each half of a surrogate pair.
 */
export function handoffNames(agents: readonly string[]): readonly string[] {
  return agents.flatMap((agent) => {
    const name = handoffNameOf(agent);
    return name === undefined ? [] : [name, `transfer_to_${agent.replace(/[^a-zA-Z0-9]/g, "_")}`];
  });
}
