// The tables of all profiles, those with the same rules once: their names are the same too.

import type { NamingTable } from "../naming/build-naming-table.js";
import type { Lock } from "../naming/lock.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import type { Profile } from "../profiles/profile.js";

export function* distinctTables(input: {
  readonly profiles: readonly Profile[];
  readonly as: string;
  readonly lock: Lock;
  readonly tableOf: (profile: Profile) => NamingTable;
}): Iterable<NamingTable> {
  const seen = new Set<string>();
  for (const profile of input.profiles) {
    const { skipsPrefixOn, stripsOwnAlias, equatesHyphens } = profile.client;
    const signature = JSON.stringify([
      nameRulesFor(profile, input.as),
      profile.unrestricted,
      // What a client confuses, and what a lock remembers, makes names of its own.
      skipsPrefixOn === undefined && stripsOwnAlias !== true && equatesHyphens !== true ? null : profile.id,
      hasLock(input.lock, profile.id) ? profile.id : null,
    ]);
    if (seen.has(signature)) continue;
    seen.add(signature);
    yield input.tableOf(profile);
  }
}

function hasLock(lock: Lock, id: string): boolean {
  for (const key of lock.profiles.keys()) if (key === id || key.startsWith(`${id}?`)) return true;
  return false;
}
