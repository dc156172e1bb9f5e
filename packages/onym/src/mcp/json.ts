// JSON from outside: read with care, forwarded unchanged.

/** A JSON object. Never use it as a map: its keys are untrusted (SAFE-1). */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property of any name; `undefined` if it is absent. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

// Parses untrusted JSON. Text that is nested too deeply is refused here, because it cannot be serialized
// again: JSON.parse accepts any depth, but JSON.stringify and every recursive walk overflow the stack.

/** Deeper than any real message or schema. */
export const MAX_DEPTH = 1_000;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** `isDeep`: it is JSON, but nested too deeply. */
  | { readonly ok: false; readonly reason: string; readonly isDeep?: true };

/**
 * Parses a text, and never throws. `outer`: how many levels enclose it.
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
  // A level takes two characters, so short texts need no depth check.
  if (text.length > 2 * (MAX_DEPTH - outer) && isTooDeep(value, outer)) return TOO_DEEP;
  return { ok: true, value };
}

export const TOO_DEEP = {
  ok: false,
  reason: `nested more than ${MAX_DEPTH} levels deep`,
  isDeep: true,
} as const;

/**
 * Walks the value rather than the text: most of a large message is strings, and each is one value. Without
 * recursion.
 */
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
