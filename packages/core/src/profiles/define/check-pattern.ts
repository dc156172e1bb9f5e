// Whether a user's pattern is safe to run on foreign names: it compiles, is anchored, and runs in linear time.

import { quoteText } from "../../names/escape-text.js";
import type { Problem } from "../../names/problem.js";
import { expandClass } from "../derive-rules.js";

const MAX_PATTERN_LENGTH = 500;

/** One separator, then a class that excludes it: repeating this is linear (`(_[a-z0-9]+)*`). */
const SEPARATED_WORD = /^(?:\?:)?(?:\\?([^\w\s\\()[\]{}.*+?|^$])|(_))\[([^\]]*)\]\+$/;

/** The problem of a pattern, if it has one. `about` is the pattern's name in the message. */
export function checkPattern(pattern: unknown, about: string): Problem | undefined {
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_LENGTH) {
    return problem(`${about} is not a text of at most ${MAX_PATTERN_LENGTH} characters.`);
  }
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) {
    return problem(
      `${about}, ${quoteText(pattern)}, does not cover the whole name.`,
      "Start it with ^ and end it with $.",
    );
  }
  try {
    new RegExp(pattern);
  } catch {
    return problem(`${about}, ${quoteText(pattern)}, is not a regular expression.`);
  }
  if (!isCostly(pattern)) return undefined;
  const fix = "Take repeated groups apart, and use no back references.";
  return problem(`${about}, ${quoteText(pattern)}, could take very long on some names.`, fix);
}

/**
 * A repeated group that contains a repetition or alternatives may take exponential time; so may a back reference.
 */
function isCostly(pattern: string): boolean {
  const bare = pattern.replace(/\\[^1-9k]/g, "\\.");
  if (/\\[1-9k]/.test(bare)) return true;
  const starts: number[] = [];
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(") starts.push(at + 1);
    else if (character === ")") {
      const body = pattern.slice(starts.pop() ?? 0, at);
      if (/^[*+{]/.test(pattern.slice(at + 1)) && !isLinearWhenRepeated(body)) return true;
    }
  }
  return false;
}

function isLinearWhenRepeated(body: string): boolean {
  if (!/[*+?{|(]/.test(body.replace(/^\?:/, ""))) return true;
  const [, mark, underscore, words = ""] = SEPARATED_WORD.exec(body) ?? [];
  const separator = mark ?? underscore;
  const alphabet = expandClass(words);
  return separator !== undefined && alphabet !== undefined && !alphabet.includes(separator);
}

function problem(message: string, fix = "Give a regular expression such as ^[a-zA-Z0-9_-]{1,64}$."): Problem {
  return { code: "bad-pattern", severity: "error", message, fix };
}
