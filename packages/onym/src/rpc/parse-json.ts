// JSON from a stranger. What is nested beyond reason is refused here, because it cannot be written again: JSON.parse
// takes any depth, JSON.stringify and every walk over the value run out of stack.

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
const BACKSLASH = 92;

/** Levels of brackets outside strings; linear. What is not JSON at all is for the parser to say. */
function isTooDeep(text: string): boolean {
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

/** Where the string that begins here ends; -1 where it does not. Most of a large message is strings, so it leaps. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
