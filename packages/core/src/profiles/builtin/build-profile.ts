// Row → profile: fills in defaults and derives the rules for assigned names.

import { deriveRules, expandClass } from "../derive-rules.js";
import type { NameRules, Profile } from "../profile.js";
import type { ProfileRow } from "./profile-row.js";

/** Builds the profile of a row. `base` gives its rules if they cannot be derived from its pattern. */
export function buildProfile(row: ProfileRow, base?: NameRules): Profile {
  const sentMaxLength =
    row.client?.sentMaxLength ??
    lower(row.safeCombinedMaxLength, row.combinedMaxLength) ??
    lower(row.safeMaxLength, row.maxLength) ??
    Infinity;
  return {
    id: row.id,
    title: row.title,
    kind: row.kind ?? "client",
    pattern: row.pattern,
    minLength: row.minLength ?? 1,
    maxLength: row.maxLength,
    safeMaxLength: row.safeMaxLength,
    firstChar: row.firstChar,
    prefixAddedByClient: row.prefixAddedByClient,
    suffixAddedByClient: row.suffixAddedByClient,
    combinedMaxLength: row.combinedMaxLength,
    safeCombinedMaxLength: row.safeCombinedMaxLength,
    maxTools: row.maxTools,
    caseSensitive: row.caseSensitive ?? true,
    listChanged: row.listChanged,
    onViolation: row.onViolation,
    clientInfoNames: row.clientInfoNames ?? [],
    userAgentHints: row.userAgentHints ?? [],
    confidence: row.confidence,
    asOf: row.asOf,
    version: row.version,
    retired: row.retired ?? false,
    ...(row.lockedBefore === undefined ? {} : { lockedBefore: row.lockedBefore }),
    rules: buildRules(row, sentMaxLength, base),
    client: {
      prefix: row.prefixAddedByClient ?? "",
      suffix: row.suffixAddedByClient ?? "",
      alias: "verbatim",
      sentPattern: row.pattern,
      ...row.client,
      sentMaxLength,
    },
    unrestricted: row.unrestricted ?? false,
  };
}

function buildRules(row: ProfileRow, sentMaxLength: number, base: NameRules | undefined): NameRules {
  const derived = base ?? rulesOf(row.emit ?? row.pattern);
  if (derived === undefined) throw new Error(`profile ${row.id}: no rules can be read off its pattern`);
  const firstChar = row.firstChar === undefined ? undefined : expandClass(row.firstChar.slice(1, -1));
  return {
    ...derived,
    // Both restrict the first character; it must satisfy both.
    first: firstChar === undefined ? derived.first : intersect(firstChar, derived.first || derived.alphabet),
    ...(row.partSeparator === undefined ? {} : { partSeparator: row.partSeparator }),
    ...(row.reserved === undefined ? {} : { reserved: row.reserved }),
    minLength: Math.max(row.minLength ?? 1, derived.minLength),
    maxLength: Math.min(
      lower(row.safeMaxLength, row.maxLength) ?? Infinity,
      derived.maxLength,
      sentMaxLength,
    ),
  };
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Cached: a hundred profiles share a few patterns. */
function rulesOf(pattern: string): NameRules | undefined {
  if (!derivedRules.has(pattern)) derivedRules.set(pattern, deriveRules(pattern));
  return derivedRules.get(pattern);
}

const derivedRules = new Map<string, NameRules | undefined>();

function intersect(left: string, right: string): string {
  return [...left].filter((character) => right.includes(character)).join("");
}
