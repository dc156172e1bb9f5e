// Value ⇄ text, for results that one provider stores as JSON and another as text.

/**
 * Text unchanged, anything else as JSON. Never throws: a value that JSON cannot express becomes its plain
 * description.
 */
export function textOfValue(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/**
 * The object or array that a text is the JSON of, only if nothing is lost: numbers too long for JavaScript and
 * hand-formatted JSON stay text.
 */
export function valueOfText(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** For foreign data, which may be anything. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A copy of an object's own fields without the given ones; `undefined` if nothing is left. */
export function restOf(
  value: unknown,
  without: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const rest = Object.entries(value).filter(([key, field]) => field !== undefined && !without.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
