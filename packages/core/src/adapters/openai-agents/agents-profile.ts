// The names that tools have in the Agents SDK for JavaScript, and the names that it gives to handoffs.

import { handoffNameOf } from "../../identity/handoff-name.js";
import { OnymError } from "../../names/onym-error.js";
import { findProfile } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";

let profile: Profile | undefined;

/**
 * The SDK writes `_` for `-` in the names of tools that it makes, MCP tools included, so that `a-b` and `a_b` are one.
 * Names given out here have no `-`, and the model sees the same one that we know.
 */
export function agentsProfile(): Profile {
  profile ??= withoutHyphen(findProfile("openai-agents-js") ?? missingProfile());
  return profile;
}

function withoutHyphen(given: Profile): Profile {
  return { ...given, rules: { ...given.rules, alphabet: given.rules.alphabet.replace("-", "") } };
}

function missingProfile(): never {
  throw new OnymError("unknown-profile", "There is no profile openai-agents-js.", "Reinstall @onym/core.");
}

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
