// Checks the fields of a profile that a user wrote, one by one; what they mean together is for `defineProfile`.

import { quoteText } from "../names/escape-text.js";
import type { Problem } from "../names/problem.js";
import { checkPattern } from "./check-pattern.js";
import { deriveRules } from "./derive-rules.js";
import type { AliasRewrite } from "./profile.js";
import type { ProfileInput } from "./profile-input.js";

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_ID = 64;
const LONGEST_NAME = 4096;

const LENGTHS = ["minLength", "maxLength", "prefixMaxLength", "combinedMaxLength", "maxTools"] as const;
const TEXTS = ["title", "prefix", "suffix", "alphabet", "first", "asOf"] as const;

const ALIAS_REWRITES: Readonly<Record<AliasRewrite, true>> = {
  verbatim: true,
  underscore: true,
  "underscore-only": true,
  slug: true,
  announced: true,
  "extension-key": true,
  delete: true,
  "keep-dots": true,
  gemini: true,
  runs: true,
  alnum: true,
  squeeze: true,
  "one-each": true,
  punycode: true,
  snake: true,
  camel: true,
};

/** The first problem of the input, which may come from a file and so be anything. */
export function checkProfileInput(input: ProfileInput): Problem | undefined {
  if (typeof input !== "object" || input === null) {
    return problem("bad-profile", "A profile is an object.", "Give at least id and pattern.");
  }
  return checkId(input.id) ?? checkFields(input) ?? checkLimits(input) ?? checkPatterns(input);
}

function checkId(id: unknown): Problem | undefined {
  if (typeof id === "string" && id.length <= LONGEST_ID && ID.test(id)) return undefined;
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
  const { forbidden, aliasRewrite, listChanged } = input;
  const isList = (value: unknown): boolean =>
    Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "");
  if (forbidden !== undefined && !isList(forbidden)) {
    return problem(
      "bad-text",
      `In profile ${input.id}, forbidden is not a list of texts.`,
      "List texts, none empty.",
    );
  }
  if (listChanged !== undefined && typeof listChanged !== "boolean") {
    return problem(
      "bad-flag",
      `In profile ${input.id}, listChanged is neither true nor false.`,
      "Correct it.",
    );
  }
  if (aliasRewrite === undefined || Object.hasOwn(ALIAS_REWRITES, aliasRewrite)) return undefined;
  const fix = `Use one of ${Object.keys(ALIAS_REWRITES).join(", ")}.`;
  return problem("bad-alias-rewrite", `In profile ${input.id}, aliasRewrite is not a known way.`, fix);
}

function checkLimits(input: ProfileInput): Problem | undefined {
  for (const key of LENGTHS) {
    const value = input[key];
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= LONGEST_NAME)) continue;
    const message = `In profile ${input.id}, ${key} is not a whole number from 1 to ${LONGEST_NAME}.`;
    return problem("bad-length", message, `Correct ${key}, or leave it out.`);
  }
  const limit = Math.min(input.maxLength ?? Infinity, input.combinedMaxLength ?? Infinity);
  if ((input.minLength ?? 1) <= limit) return undefined;
  const message = `In profile ${input.id}, minLength ${input.minLength} is above the limit ${limit}.`;
  return problem("bad-length", message, "Lower minLength or raise the limit.");
}

function checkPatterns(input: ProfileInput): Problem | undefined {
  const problemOfPattern = checkPattern(input.pattern, `The pattern of profile ${input.id}`);
  if (problemOfPattern !== undefined || input.sentPattern === undefined) return problemOfPattern;
  const about = `The sentPattern of profile ${input.id}`;
  const problemOfSent = checkPattern(input.sentPattern, about);
  // It runs over prefix and name together, which may be long, so only what is read off in linear time will do.
  if (problemOfSent !== undefined || deriveRules(input.sentPattern) !== undefined) return problemOfSent;
  return problem(
    "bad-pattern",
    `${about} is more than one or two classes.`,
    "Use a pattern like ^[a-z][a-z0-9_]*$.",
  );
}

function problem(code: string, message: string, fix: string): Problem {
  return { code, severity: "error", message, fix };
}
