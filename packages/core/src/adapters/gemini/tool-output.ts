// The answer to a function call: an object in Gemini, text and a flag in other providers.

import { textOfValue, valueOfText } from "../json-text.js";

export interface ReadResponse {
  readonly text: string;
  readonly isError: boolean;
}

/** `{ output: text }` and `{ error: … }` are Gemini's convention; any other object is JSON. */
export function readResponse(response: unknown): ReadResponse {
  const only = onlyField(response);
  if (only?.key === "error") return { text: textOfValue(only.value), isError: true };
  if (only?.key === "output" && typeof only.value === "string") return { text: only.value, isError: false };
  return { text: textOfValue(response ?? {}), isError: false };
}

/** The inverse of `readResponse`. */
export function writeResponse({ text, isError }: ReadResponse): Record<string, unknown> {
  const value = valueOfText(text);
  if (isError) return { error: value ?? text };
  if (value === undefined || Array.isArray(value)) return { output: text };
  // Such an object would be read back as something else.
  const only = onlyField(value);
  const isTaken = only?.key === "error" || (only?.key === "output" && typeof only.value === "string");
  return isTaken ? { output: text } : { ...value };
}

function onlyField(value: unknown): { readonly key: string; readonly value: unknown } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const [entry, ...others] = Object.entries(value);
  return entry === undefined || others.length > 0 ? undefined : { key: entry[0], value: entry[1] };
}
