// Built-in rows in the form that users write, and built-in rows with corrected fields (RULE-7).

import type { ParseResult } from "../../names/problem.js";
import { findProfile, findRow } from "../find-profile.js";
import type { Profile } from "../profile.js";
import { dependsOnAlias } from "../sent/name-budget.js";
import { CLIENT_FIELDS, defineProfile, inputOf, keepInput, pick, ROW_FIELDS } from "./define-profile.js";
import type { ProfileInput } from "./profile-input.js";

/**
 * The row of a profile as a user would write it; `defineProfile` makes the same profile from it. `undefined` for an
 * id that is not built in, and for a profile that was made in another way.
 *
 * @example
 * exportProfile("cursor")?.combinedMaxLength; // 59
 */
export function exportProfile(of: string | Profile): ProfileInput | undefined {
  const profile = typeof of === "string" ? findProfile(of) : of;
  const written = profile === undefined ? undefined : inputOf(profile);
  if (written !== undefined || profile === undefined) return written;
  const { id } = profile;
  const row = findProfile(id) === profile ? findRow(id) : undefined;
  if (row === undefined) return undefined;
  const { title, kind, onViolation, confidence, asOf, caseSensitive, retired, unrestricted } = row;
  // If a row says more than the computed value, as with `____{type}`, export the computed value: users correct that
  // one.
  const { alias, prefix, suffix, sentPattern, sentMaxLength } = profile.client;
  return {
    id,
    title,
    ...(kind === undefined ? {} : { kind }),
    pattern: row.pattern,
    ...(row.prefixAddedByClient === undefined && prefix === "" ? {} : { prefix }),
    ...(row.suffixAddedByClient === undefined && suffix === "" ? {} : { suffix }),
    ...pick(row, ROW_FIELDS),
    ...(caseSensitive === undefined ? {} : { caseSensitive }),
    ...pick(row.client ?? {}, CLIENT_FIELDS),
    aliasRewrite: alias,
    sentPattern,
    ...(Number.isFinite(sentMaxLength) ? { sentMaxLength } : {}),
    onViolation,
    confidence,
    asOf,
    ...(retired === undefined ? {} : { retired }),
    unrestricted: unrestricted ?? false,
  };
}

/**
 * A built-in profile with some fields corrected. Names in a lock stay, wherever the original row stored them.
 *
 * @example
 * correctProfile("cursor", { combinedMaxLength: 50 });
 */
export function correctProfile(id: string, changes: Omit<Partial<ProfileInput>, "id">): ParseResult<Profile> {
  const row = exportProfile(id);
  const before = findProfile(id);
  if (row === undefined || before === undefined) return defineProfile({ ...changes, id } as ProfileInput);
  const { version: _version, confidence: _confidence, ...kept } = row;
  const outdated = outdatedBy(changes, row);
  const base = Object.fromEntries(Object.entries(kept).filter(([key]) => !outdated.has(key)));
  const made = defineProfile({ ...(base as Partial<ProfileInput>), ...changes, id } as ProfileInput);
  if (!made.ok) return made;
  const aliasMattered = dependsOnAlias(before);
  const lockedBefore =
    aliasMattered === dependsOnAlias(made.value) ? before.lockedBefore : { id, aliasMattered };
  if (lockedBefore === undefined) return made;
  return { ok: true, value: keepInput({ ...made.value, lockedBefore }, inputOf(made.value)) };
}

/** Fields of a row that were derived from a field which the user changes. */
function outdatedBy(changes: Partial<ProfileInput>, row: ProfileInput): ReadonlySet<string> {
  const hasPattern = changes.pattern !== undefined;
  const hasLimit = changes.combinedMaxLength !== undefined || changes.safeCombinedMaxLength !== undefined;
  const isDerived = findRow(row.id)?.client?.sentMaxLength === undefined;
  return new Set([
    ...(hasPattern ? ["emit", "firstChar", "partSeparator", "unrestricted"] : []),
    ...(hasPattern && row.sentPattern === row.pattern ? ["sentPattern"] : []),
    ...(hasLimit || isDerived ? ["sentMaxLength"] : []),
  ]);
}
