// Checks and completes a profile that a user wrote. Returns a problem for a bad one, never throws.

import { quoteText } from "../../names/escape-text.js";
import type { ParseResult, Problem } from "../../names/problem.js";
import { buildProfile } from "../builtin/build-profile.js";
import type { ProfileRow } from "../builtin/profile-row.js";
import { deriveRules } from "../derive-rules.js";
import type { ClientTransformation, NameRules, Profile } from "../profile.js";
import { checkProfileInput } from "./check-profile-input.js";
import type { ProfileInput } from "./profile-input.js";

const ANYTHING = "^[\\s\\S]+$";

/**
 * Makes a profile from a user's own rules.
 *
 * @example
 * const result = defineProfile({ id: "acme-chat", pattern: "^[a-z][a-z0-9_]{0,39}$", prefix: "{server}." });
 * if (result.ok) nameRulesFor(result.value, "onym").maxLength; // 40
 */
export function defineProfile(input: ProfileInput): ParseResult<Profile> {
  const problem = checkProfileInput(input);
  if (problem !== undefined) return { ok: false, problem };
  const rules = combineRules(input);
  if (rules === undefined) return { ok: false, problem: unknownRules(input) };
  const outside = findOutside([input.pattern, input.emit ?? input.pattern], rules);
  if (outside !== undefined) return { ok: false, problem: outsidePattern(input, outside) };
  return { ok: true, value: keepInput(buildProfile(writeRow(input, rules), rules), { ...input }) };
}

const inputs = new WeakMap<Profile, ProfileInput>();

/** The input that a user's profile was made from. */
export function inputOf(profile: Profile): ProfileInput | undefined {
  return inputs.get(profile);
}

export function keepInput(profile: Profile, input: ProfileInput | undefined): Profile {
  if (input !== undefined) inputs.set(profile, input);
  return profile;
}

/** The rules of the pattern, narrowed by the user's other fields. */
function combineRules(input: ProfileInput): NameRules | undefined {
  const derived = deriveRules(input.emit ?? input.pattern);
  const alphabet = input.alphabet ?? derived?.alphabet;
  // A pattern that only a regular expression can check needs a length limit.
  if (alphabet === undefined || (derived === undefined && input.maxLength === undefined)) return undefined;
  const isNarrowed = input.alphabet !== undefined && input.alphabet !== derived?.alphabet;
  const first = input.first ?? derived?.first ?? "";
  return {
    shape: derived === undefined || isNarrowed ? "ascii" : derived.shape,
    alphabet,
    first: isNarrowed ? [...first].filter((character) => alphabet.includes(character)).join("") : first,
    forbidden: [...new Set([...(derived?.forbidden ?? []), ...(input.forbidden ?? [])])],
    minLength: Math.max(input.minLength ?? 1, derived?.minLength ?? 1),
    maxLength: Math.min(input.maxLength ?? Infinity, derived?.maxLength ?? Infinity),
  };
}

/** Characters of the rules that a pattern rejects. Each is tested between characters that may come first. */
function findOutside(patterns: readonly string[], rules: NameRules): string | undefined {
  if (rules.shape === "any") return undefined;
  if (!/^[\x20-\x7e]+$/.test(rules.alphabet)) return rules.alphabet;
  const expressions = patterns.map((pattern) => new RegExp(pattern));
  const firsts = [...(rules.first || rules.alphabet)];
  const isBanned = (probe: string): boolean => rules.forbidden.some((text) => probe.includes(text));
  const matches = (probe: string): boolean => expressions.every((expression) => expression.test(probe));
  // A probe that is too long or contains forbidden text says nothing about its characters.
  const accepts = (probe: string): boolean =>
    probe.length > rules.maxLength || isBanned(probe) || matches(probe);
  const padding = findPadding(firsts, rules.minLength, (probe) => !isBanned(probe) && accepts(probe));
  if (padding === undefined) return rules.first || rules.alphabet;
  const rest = padding(Math.max(1, rules.minLength - 2));
  const refused = [...rules.alphabet].filter((character) => !accepts(padding(1) + character + rest));
  const refusedFirst = [...rules.first].filter(
    (character) => !rules.alphabet.includes(character) || !accepts(character + padding(1) + rest),
  );
  return refused.length + refusedFirst.length === 0 ? undefined : [...refused, ...refusedFirst].join("");
}

/** Legal text of any length: one repeated character, or two alternating ones (`(?!.*aa)`). */
function findPadding(
  firsts: readonly string[],
  length: number,
  isGood: (probe: string) => boolean,
): ((length: number) => string) | undefined {
  const units = [
    ...firsts,
    ...firsts.flatMap((a, at) => (at === 0 ? [] : [`${firsts[0]}${a}`, `${a}${firsts[0]}`])),
  ];
  const unit = units.find((each) => isGood(each.repeat(length).slice(0, length)));
  return unit === undefined ? undefined : (count) => unit.repeat(count).slice(0, count);
}

function writeRow(input: ProfileInput, rules: NameRules): ProfileRow {
  const { id, title = id, kind = "client", pattern, prefix, suffix } = input;
  const { combinedMaxLength, caseSensitive, retired, unrestricted } = input;
  const isFramed = `${prefix ?? ""}${suffix ?? ""}` !== "";
  const isFree =
    rules.shape === "any" &&
    Math.min(input.maxLength ?? Infinity, combinedMaxLength ?? Infinity) === Infinity;
  return {
    ...pick(input, ROW_FIELDS),
    id,
    title,
    pattern,
    ...(kind === "client" ? {} : { kind }),
    ...(prefix === undefined ? {} : { prefixAddedByClient: prefix }),
    ...(suffix === undefined ? {} : { suffixAddedByClient: suffix }),
    ...(caseSensitive === false ? { caseSensitive } : {}),
    ...(retired === true ? { retired } : {}),
    onViolation: input.onViolation ?? "unknown",
    confidence: input.confidence ?? "assumed",
    asOf: input.asOf ?? "",
    client: {
      ...(isFramed && combinedMaxLength === undefined ? { sentMaxLength: Infinity } : {}),
      ...pick(input, CLIENT_FIELDS),
      alias: input.aliasRewrite ?? "verbatim",
      // What surrounds a sent name is unknown unless the user says it.
      sentPattern: input.sentPattern ?? (isFramed ? ANYTHING : pattern),
    },
    ...((unrestricted ?? (isFree && !isFramed)) ? { unrestricted: true } : {}),
  };
}

/** Fields that have the same name in a row. */
export const ROW_FIELDS = [
  "emit",
  "firstChar",
  "minLength",
  "maxLength",
  "safeMaxLength",
  "combinedMaxLength",
  "safeCombinedMaxLength",
  "maxTools",
  "listChanged",
  "clientInfoNames",
  "userAgentHints",
  "version",
  "partSeparator",
  "reserved",
] as const satisfies readonly (keyof ProfileInput & keyof ProfileRow)[];

/** Fields that describe what the client does. */
export const CLIENT_FIELDS = [
  "prefixMaxLength",
  "skipsPrefixOn",
  "prefixesMcpOnce",
  "stripsOwnAlias",
  "prefixYields",
  "countsOnly",
  "equatesHyphens",
  "rewrite",
  "cut",
  "cutAt",
  "sentMaxLength",
] as const satisfies readonly (keyof ProfileInput & keyof ClientTransformation)[];

export function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])),
  ) as Pick<T, K>;
}

function unknownRules({ id }: ProfileInput): Problem {
  const message = `No rules can be read off the pattern of profile ${id}.`;
  const fix = "Give alphabet (every character that may stand in a name) and maxLength beside it.";
  return { code: "rules-unknown", severity: "error", message, fix };
}

function outsidePattern({ id }: ProfileInput, characters: string): Problem {
  const message = `Profile ${id} lists characters that its own pattern does not take: ${quoteText(characters)}.`;
  const fix = "List printable ASCII characters only, and only such as the pattern takes.";
  return { code: "alphabet-outside-pattern", severity: "error", message, fix };
}
