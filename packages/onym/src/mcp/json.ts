// JSON from outside: looked at with care, passed on untouched.

/** An object of JSON. Never a plain-object map of ours: keys are a stranger's (SAFE-1). */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property, whatever its name; `undefined` where there is none. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
