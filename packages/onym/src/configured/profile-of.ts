// The profile that somebody names, among the built-in ones and those of a config.

import { type Profile, quoteText } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import { didYouMean } from "../config/json/near-text.js";
import { OnymError } from "../model/onym-error.js";

/** @throws OnymError `unknown-profile`. */
export function profileOf(id: string, profiles: ProfileSet): Profile {
  const profile = profiles.find(id);
  if (profile === undefined) throw unknownProfile(id, profiles);
  return profile;
}

export function unknownProfile(id: string, profiles: ProfileSet): OnymError {
  const near = didYouMean(
    id,
    profiles.list().map((profile) => profile.id),
  );
  return new OnymError(
    "unknown-profile",
    `There is no profile ${quoteText(id)}.`,
    `${near}List them all with onym profiles.`,
  );
}
