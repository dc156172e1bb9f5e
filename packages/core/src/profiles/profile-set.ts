// The profiles in force: the built-in ones and the user's, which take precedence (RULE-7). Immutable.

import { type Detection, detectProfile } from "./detect/detect-profile.js";
import type { DetectionHints } from "./detect/read-hints.js";
import { findProfile, listProfiles } from "./find-profile.js";
import type { Profile } from "./profile.js";

export interface ProfileSet {
  readonly find: (id: string) => Profile | undefined;
  /** All profiles, ordered by id. */
  readonly list: () => readonly Profile[];
  readonly detect: (hints: DetectionHints) => Detection;
  /** The user's profiles: corrections of built-in ones with the same id, and new ones. */
  readonly own: readonly Profile[];
}

/**
 * Combines the user's profiles with the built-in ones.
 *
 * @example
 * const ourAgent = defineProfile({ id: "our-agent", pattern: "^[a-z_]{1,40}$" });
 * const profiles = createProfileSet(ourAgent.ok ? [ourAgent.value] : []);
 * profiles.find("our-agent") ?? profiles.find("cursor");
 */
export function createProfileSet(own: readonly Profile[]): ProfileSet {
  const byId = new Map(own.map((profile) => [profile.id, profile]));
  let all: readonly Profile[] | undefined;
  return {
    own,
    find: (id) => byId.get(id) ?? findProfile(id),
    list() {
      all ??= [
        ...new Map([...listProfiles().map((each) => [each.id, each] as const), ...byId]).values(),
      ].sort((a, b) => (a.id < b.id ? -1 : 1));
      return all;
    },
    detect: (hints) => detectProfile(hints, { own }),
  };
}
