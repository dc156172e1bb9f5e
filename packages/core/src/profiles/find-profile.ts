// Looks up profiles by id. Each built-in profile is built on first use.

import { quoteText } from "../names/escape-text.js";
import { OnymError } from "../names/onym-error.js";
import { assistantRows } from "./builtin/assistant-rows.js";
import { buildProfile } from "./builtin/build-profile.js";
import { editorRows } from "./builtin/editor-rows.js";
import { frameworkRows } from "./builtin/framework-rows.js";
import { namedRows } from "./builtin/named-rows.js";
import type { ProfileRow } from "./builtin/profile-row.js";
import { providerRows } from "./builtin/provider-rows.js";
import { terminalRows } from "./builtin/terminal-rows.js";
import type { Profile } from "./profile.js";

let rows: ReadonlyMap<string, ProfileRow> | undefined;
const profiles = new Map<string, Profile>();

/**
 * The built-in profile with this id.
 *
 * @example
 * findProfile("openai")?.pattern; // "^[a-zA-Z0-9_-]{1,64}$"
 */
export function findProfile(id: string): Profile | undefined {
  const known = profiles.get(id);
  if (known !== undefined) return known;
  const row = findRow(id);
  if (row === undefined) return undefined;
  const profile = buildProfile(row);
  profiles.set(id, profile);
  return profile;
}

/** The row of a built-in profile. */
export function findRow(id: string): ProfileRow | undefined {
  rows ??= indexRows();
  return rows.get(id);
}

/**
 * Every built-in profile, ordered by id.
 *
 * @example
 * listProfiles().map((profile) => profile.id);
 */
export function listProfiles(): readonly Profile[] {
  rows ??= indexRows();
  return [...rows.keys()].flatMap((id) => findProfile(id) ?? []);
}

/**
 * A profile, or the built-in one with this id.
 *
 * @throws OnymError `unknown-profile` for an unknown id.
 */
export function profileOf(profile: Profile | string): Profile {
  if (typeof profile !== "string") return profile;
  const found = findProfile(profile);
  if (found !== undefined) return found;
  throw new OnymError(
    "unknown-profile",
    `There is no profile ${quoteText(profile)}.`,
    "List the known ones with listProfiles() or `onym profiles`, or make your own with defineProfile().",
  );
}

function indexRows(): ReadonlyMap<string, ProfileRow> {
  const all = [
    ...namedRows(),
    ...providerRows,
    ...assistantRows,
    ...editorRows,
    ...terminalRows,
    ...frameworkRows,
  ];
  return new Map(all.sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => [row.id, row]));
}

/** The profile for unknown clients. */
export function universalProfile(): Profile {
  const profile = findProfile("universal");
  if (profile === undefined) throw new Error("the built-in profile universal is missing");
  return profile;
}
