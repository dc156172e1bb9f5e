// JSON from a stranger. What is nested beyond reason is refused here, because it cannot be written again: JSON.parse
// takes any depth, JSON.stringify and every walk over the value run out of stack.

/** Deeper than any message or schema that somebody wrote. */
export const MAX_DEPTH = 1_000;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses a text, and never throws. `outer`: how many levels it stands in.
 *
 * @example
 * parseJson("[1]"); // { ok: true, value: [1] }
 */
export function parseJson(text: string, outer = 0): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : "not JSON" };
  }
  // A level takes two characters, so that short texts need no second look.
  if (text.length > 2 * (MAX_DEPTH - outer) && isTooDeep(value, outer))
    return { ok: false, reason: `nested more than ${MAX_DEPTH} levels deep` };
  return { ok: true, value };
}

/** Looks at the value rather than the text: most of a large message is text, which is one value. Without recursion. */
function isTooDeep(value: unknown, outer: number): boolean {
  const objects: object[] = [];
  const levels: number[] = [];
  const add = (each: unknown, level: number): void => {
    if (typeof each !== "object" || each === null) return;
    objects.push(each);
    levels.push(level);
  };
  add(value, outer + 1);
  for (let next = objects.pop(); next !== undefined; next = objects.pop()) {
    const level = levels.pop() ?? 0;
    if (level > MAX_DEPTH) return true;
    for (const each of Array.isArray(next) ? next : Object.values(next)) add(each, level + 1);
  }
  return false;
}
