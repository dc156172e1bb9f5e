// Checks a profile that a user wrote and completes it. A bad one comes back as a problem, never as a throw.

import { quoteText } from "../names/escape-text.js";
import type { ParseResult, Problem } from "../names/problem.js";
import { buildProfile } from "./builtin/build-profile.js";
import type { ProfileRow } from "./builtin/profile-row.js";
import { checkProfileInput } from "./check-profile-input.js";
import { deriveRules } from "./derive-rules.js";
import type { NameRules, Profile } from "./profile.js";
import type { ProfileInput } from "./profile-input.js";

const ANYTHING = "^[\\s\\S]+$";

/**
 * Makes a profile of a user's own rules.
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
  const outside = findOutside(new RegExp(input.pattern), rules);
  if (outside !== undefined) return { ok: false, problem: outsidePattern(input, outside) };
  return { ok: true, value: buildProfile(writeRow(input, rules), rules) };
}

/** What the pattern says, narrowed by what the user says. */
function combineRules(input: ProfileInput): NameRules | undefined {
  const derived = deriveRules(input.pattern);
  const alphabet = input.alphabet ?? derived?.alphabet;
  // A pattern that only a regular expression can check must not run over text without end.
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

/** Characters of the rules that the pattern refuses. Each is tried between two that may come first. */
function findOutside(pattern: RegExp, rules: NameRules): string | undefined {
  if (rules.shape === "any") return undefined;
  if (!/^[\x20-\x7e]+$/.test(rules.alphabet)) return rules.alphabet;
  const firsts = [...(rules.first || rules.alphabet)];
  const accepts = (probe: string): boolean => probe.length > rules.maxLength || pattern.test(probe);
  const start = firsts.find((character) => accepts(character.repeat(rules.minLength)));
  if (start === undefined) return rules.first || rules.alphabet;
  const padding = start.repeat(Math.max(1, rules.minLength - 2));
  const refused = [...rules.alphabet].filter((character) => !accepts(start + character + padding));
  const refusedFirst = [...rules.first].filter(
    (character) => !rules.alphabet.includes(character) || !accepts(character + start + padding),
  );
  return refused.length + refusedFirst.length === 0 ? undefined : [...refused, ...refusedFirst].join("");
}

function writeRow(input: ProfileInput, rules: NameRules): ProfileRow {
  const { id, title = id, pattern, prefix = "", suffix = "", asOf = "" } = input;
  const { minLength, maxLength, combinedMaxLength, prefixMaxLength, maxTools, listChanged } = input;
  const isFramed = prefix !== "" || suffix !== "";
  const isFree = rules.shape === "any" && maxLength === undefined && combinedMaxLength === undefined;
  return {
    id,
    title,
    pattern,
    prefixAddedByClient: prefix,
    suffixAddedByClient: suffix,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(combinedMaxLength === undefined ? {} : { combinedMaxLength }),
    ...(maxTools === undefined ? {} : { maxTools }),
    ...(listChanged === undefined ? {} : { listChanged }),
    onViolation: "unknown",
    confidence: "assumed",
    asOf,
    client: {
      alias: input.aliasRewrite ?? "verbatim",
      ...(prefixMaxLength === undefined ? {} : { prefixMaxLength }),
      // Nothing is known of what is sent around a name, unless the user says it.
      sentPattern: input.sentPattern ?? (isFramed ? ANYTHING : pattern),
      ...(isFramed && combinedMaxLength === undefined ? { sentMaxLength: Infinity } : {}),
    },
    ...(isFree && !isFramed ? { unrestricted: true } : {}),
  };
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
