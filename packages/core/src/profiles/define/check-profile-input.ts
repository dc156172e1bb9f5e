// Checks the fields of a user's profile one by one. `defineProfile` checks how they fit together.

import { quoteText } from "../../names/escape-text.js";
import type { Problem } from "../../names/problem.js";
import { deriveRules, expandClass } from "../derive-rules.js";
import { checkPattern } from "./check-pattern.js";
import { PROFILE_WORDS, type ProfileInput } from "./profile-input.js";

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_ID_LENGTH = 64;
const MAX_NAME_LENGTH = 4096;

const LENGTHS = [
  "minLength",
  "maxLength",
  "safeMaxLength",
  "prefixMaxLength",
  "combinedMaxLength",
  "safeCombinedMaxLength",
  "cutAt",
  "sentMaxLength",
  "maxTools",
] as const;
const TEXTS = [
  "title",
  "prefix",
  "suffix",
  "alphabet",
  "first",
  "firstChar",
  "asOf",
  "version",
  "onViolation",
] as const;
const LISTS = ["forbidden", "reserved", "clientInfoNames", "userAgentHints"] as const;
const FLAGS = [
  "listChanged",
  "caseSensitive",
  "equatesHyphens",
  "countsOnly",
  "prefixYields",
  "stripsOwnAlias",
  "prefixesMcpOnce",
  "retired",
  "unrestricted",
] as const;
const WORDS = Object.keys(PROFILE_WORDS) as readonly (keyof typeof PROFILE_WORDS)[];

/** The first problem of the input. The input may come from a file, so it can be anything. */
export function checkProfileInput(input: ProfileInput): Problem | undefined {
  if (typeof input !== "object" || input === null) {
    return problem("bad-profile", "A profile is an object.", "Give at least id and pattern.");
  }
  return checkId(input.id) ?? checkFields(input) ?? checkLimits(input) ?? checkPatterns(input);
}

function checkId(id: unknown): Problem | undefined {
  if (typeof id === "string" && id.length <= MAX_ID_LENGTH && ID.test(id)) return undefined;
  const shown = typeof id === "string" ? quoteText(id) : `of type ${typeof id}`;
  const message = `The profile id ${shown} is not lower-case words joined by single dashes.`;
  return problem("bad-id", message, "Use an id like acme-chat.");
}

function checkFields(input: ProfileInput): Problem | undefined {
  for (const key of TEXTS) {
    if (input[key] === undefined || typeof input[key] === "string") continue;
    return problem(
      "bad-text",
      `In profile ${input.id}, ${key} is not a text.`,
      `Correct ${key}, or leave it out.`,
    );
  }
  for (const key of LISTS) {
    const list: unknown = input[key];
    const isList = Array.isArray(list) && list.every((text) => typeof text === "string" && text !== "");
    if (list === undefined || isList) continue;
    return problem(
      "bad-text",
      `In profile ${input.id}, ${key} is not a list of texts.`,
      "List texts, none empty.",
    );
  }
  for (const key of FLAGS) {
    if (input[key] === undefined || typeof input[key] === "boolean") continue;
    return problem("bad-flag", `In profile ${input.id}, ${key} is neither true nor false.`, "Correct it.");
  }
  for (const key of WORDS) {
    const known: readonly unknown[] = PROFILE_WORDS[key];
    if (input[key] === undefined || known.includes(input[key])) continue;
    const code = `bad-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return problem(
      code,
      `In profile ${input.id}, ${key} is not a known word.`,
      `Use one of ${known.join(", ")}.`,
    );
  }
  return undefined;
}

function checkLimits(input: ProfileInput): Problem | undefined {
  for (const key of LENGTHS) {
    const value = input[key];
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= MAX_NAME_LENGTH)) continue;
    const message = `In profile ${input.id}, ${key} is not a whole number from 1 to ${MAX_NAME_LENGTH}.`;
    return problem("bad-length", message, `Correct ${key}, or leave it out.`);
  }
  const limits = [input.maxLength, input.safeMaxLength, input.combinedMaxLength, input.safeCombinedMaxLength];
  const limit = Math.min(...limits.map((each) => each ?? Infinity));
  if ((input.minLength ?? 1) <= limit) return undefined;
  const message = `In profile ${input.id}, minLength ${input.minLength} is above the limit ${limit}.`;
  return problem("bad-length", message, "Lower minLength or raise the limit.");
}

function checkPatterns(input: ProfileInput): Problem | undefined {
  const { id, pattern, emit, firstChar } = input;
  const problemOfPattern =
    checkPattern(pattern, `The pattern of profile ${id}`) ??
    (emit === undefined ? undefined : checkPattern(emit, `The pattern emit of profile ${id}`));
  if (problemOfPattern !== undefined) return problemOfPattern;
  if (firstChar !== undefined && readClass(firstChar) === undefined) {
    const message = `In profile ${id}, firstChar is no class of characters.`;
    return problem("bad-pattern", message, "Write one like [a-zA-Z_].");
  }
  if (input.sentPattern === undefined) return undefined;
  const about = `The sentPattern of profile ${input.id}`;
  const problemOfSent = checkPattern(input.sentPattern, about);
  // This pattern runs over prefix and name together, which may be long, so it must be one that is checked in linear
  // time.
  if (problemOfSent !== undefined || deriveRules(input.sentPattern) !== undefined) return problemOfSent;
  return problem(
    "bad-pattern",
    `${about} is more than one or two classes.`,
    "Use a pattern like ^[a-z][a-z0-9_]*$.",
  );
}

/** The characters of a class such as `[a-z]`; `undefined` if the text is not a class. */
function readClass(text: string): string | undefined {
  const [, body] = /^\[([^\]^][^\]]*)\]$/.exec(text) ?? [];
  return body === undefined ? undefined : expandClass(body);
}

function problem(code: string, message: string, fix: string): Problem {
  return { code, severity: "error", message, fix };
}

// What a user writes to describe their own client or provider.
