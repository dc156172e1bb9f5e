// JSON from a stranger. What is nested beyond reason is refused here, because it cannot be written again: JSON.parse
// takes any depth, JSON.stringify and every walk over the value run out of stack.

import { endOfString } from "./member-text.js";

/** Deeper than any message or schema that somebody wrote. */
export const MOST_LEVELS = 1_000;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses a text, and never throws.
 *
 * @example
 * parseJson("[1]"); // { ok: true, value: [1] }
 */
export function parseJson(text: string): ParsedJson {
  // A level takes two characters, so that short texts need no second look.
  if (text.length > 2 * MOST_LEVELS && isTooDeep(text))
    return { ok: false, reason: `nested more than ${MOST_LEVELS} levels deep` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : "not JSON" };
  }
}

const QUOTE = 34;

/** Levels of brackets outside strings; linear. What is not JSON at all is for the parser to say. */
function isTooDeep(text: string): boolean {
  // Few brackets, few levels: most large messages are large texts.
  if (!hasMoreThan(text, "{", MOST_LEVELS / 2) && !hasMoreThan(text, "[", MOST_LEVELS / 2)) return false;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (code === 91 || code === 123) {
      level += 1;
      if (level > MOST_LEVELS) return true;
    } else if (code === 93 || code === 125) level -= 1;
  }
  return false;
}

function hasMoreThan(text: string, bracket: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}
