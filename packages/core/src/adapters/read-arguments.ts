// Parses the arguments of a call, an object or its JSON text, into an object.

import type { JsonObject } from "./call-outcome.js";

export type ReadArguments =
  | { readonly ok: true; readonly value: JsonObject }
  /** Completes the sentence "The arguments …". */
  | { readonly ok: false; readonly reason: string };

export function readArguments(given: unknown): ReadArguments {
  if (given === undefined || given === null || given === "") return { ok: true, value: {} };
  if (typeof given !== "string") return fromValue(given);
  try {
    return fromValue(JSON.parse(given));
  } catch {
    return { ok: false, reason: "are not JSON." };
  }
}

function fromValue(value: unknown): ReadArguments {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject
    ? { ok: true, value: value as JsonObject }
    : { ok: false, reason: "are not a JSON object." };
}
