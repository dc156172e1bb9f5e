// The section `profiles` → the profiles in force (RULE-7): an object with one entry an id, or a file that holds such an object.

import { dirname, isAbsolute, join } from "node:path";
import { findProfile, type Profile, type ProfileInput, quoteText } from "@onym/core";
import { correctProfile, createProfileSet, type ProfileSet } from "@onym/core/profiles";
import * as z from "zod/mini";
import { type ConfigProblem, formatJsonPath } from "../config-problem.js";
import { parseJsonDocument, placeOfPath } from "../json/json-document.js";
import type { JsonPath } from "../json/json-path.js";
import { didYouMean } from "../json/near-text.js";
import { readValue } from "../json/read-value.js";
import type { ConfigFile } from "../schema/config-schema.js";
import { describeIssues } from "../schema/describe-issues.js";
import { profileEntries, profileEntry } from "../schema/profile-schema.js";
import type { ReadText } from "./read-tools.js";

export type Note = (path: JsonPath, problem: Pick<ConfigProblem, "code" | "message" | "fix">) => void;

/** More would be a mistake, and each costs a table of names. */
const MAX_PROFILES = 200;

export interface ReadProfilesInput {
  /** The config; a file is relative to it. */
  readonly file: string;
  readonly readText: ReadText;
  readonly note: Note;
  /** A problem in the file that the section names. */
  readonly add: (problem: ConfigProblem) => void;
}

/** What is wrong of type was reported before. Of a bad entry the built-in profile, if any, stays in force here. */
export function readProfiles(written: ConfigFile["profiles"], input: ReadProfilesInput): ProfileSet {
  if (written === undefined) return createProfileSet([]);
  if (typeof written !== "string")
    return defineAll(written, (id, problem) => input.note(["profiles", id], problem));
  const file = profilesFilePath(written, input.file);
  const read = input.readText(file);
  if ("reason" in read) {
    input.note(["profiles"], {
      code: "unreadable-file",
      message: `The profiles file ${quoteText(file)} cannot be read: ${read.reason}.`,
      fix: "Correct the path; it is relative to the config file.",
    });
    return createProfileSet([]);
  }
  const parsed = parseJsonDocument(read.text, file, 'Write {"acme-chat": {"pattern": "^[a-z_]{1,40}$"}}.');
  if (!parsed.ok) {
    input.add(parsed.problem);
    return createProfileSet([]);
  }
  const { document } = parsed;
  const problems: ConfigProblem[] = [];
  const value = readValue(document.root, [], { document, problems });
  const note: Note = (path, problem) =>
    problems.push({ ...problem, path: formatJsonPath(path), place: placeOfPath(document, path) });
  for (const { path, ...issue } of describeIssues(profileEntries, value)) note(path, issue);
  const set =
    problems.length > 0
      ? createProfileSet([])
      : defineAll(Object(value), (id, problem) => note([id], problem));
  for (const problem of problems) input.add(problem);
  return set;
}

/** The file that the section names. */
export function profilesFilePath(written: string, configFile: string): string {
  return isAbsolute(written) ? written : join(dirname(configFile), written);
}

function defineAll(
  entries: Exclude<ConfigFile["profiles"], string | undefined>,
  note: (id: string, problem: Pick<ConfigProblem, "code" | "message" | "fix">) => void,
): ProfileSet {
  const own: Profile[] = [];
  for (const [at, [id, entry]] of Object.entries(entries).entries()) {
    if (at >= MAX_PROFILES) {
      note(id, {
        code: "too-many-profiles",
        message: `There are more than ${MAX_PROFILES} profiles.`,
        fix: "Keep those that are needed.",
      });
      break;
    }
    // What is of a wrong type was reported before.
    if (!z.safeParse(profileEntry, entry).success) continue;
    const made = correctProfile(id, entry as Omit<Partial<ProfileInput>, "id">);
    if (made.ok) own.push(made.value);
    else note(id, { code: made.problem.code, message: made.problem.message, fix: made.problem.fix ?? "" });
  }
  return createProfileSet(own);
}

/** Why a text is no id of a profile; `undefined` where it is one. */
export function checkProfileId(
  id: string,
  profiles: ProfileSet,
  fix: string,
): Pick<ConfigProblem, "code" | "message" | "fix"> | undefined {
  if (profiles.find(id) !== undefined) return undefined;
  const near = didYouMean(
    id,
    profiles.list().map((profile) => profile.id),
  );
  return { code: "unknown-profile", message: `There is no profile ${quoteText(id)}.`, fix: `${near}${fix}` };
}

/** Whether a profile is as it is built in, corrected in the config, or new there. */
export function originOf(
  id: string,
  profiles: ProfileSet,
): "built in" | "config" | "config, corrects the built-in one" {
  if (!profiles.own.some((profile) => profile.id === id)) return "built in";
  return findProfile(id) === undefined ? "config" : "config, corrects the built-in one";
}
