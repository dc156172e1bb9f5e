// Span attributes in OTLP's JSON format. Attributes that many spans share are formatted once and kept as text.

import { escapeText } from "@onym/core";

declare const attributesText: unique symbol;

/** `{"key":…,"value":…},{…}`: the members of a list, without its brackets. */
export type AttributesText = string & { readonly [attributesText]: true };

export type AttributeValue = string | number;

/** Names are foreign text and are sent with every span. */
const MAX_CHARACTERS = 1_000;

/** Omits unknown values. Texts must already be safe to show. */
export function formatAttributes(
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
): AttributesText {
  let text = "";
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) text += `${text === "" ? "" : ","}${formatAttribute(asciiJson(key), value)}`;
  }
  return text as AttributesText;
}

/** `key` must be JSON. */
export function formatAttribute(key: string, value: AttributeValue): AttributesText {
  const shown =
    typeof value === "number" ? `{"intValue":"${value}"}` : `{"stringValue":${asciiJson(cutText(value))}}`;
  return `{"key":${key},"value":${shown}}` as AttributesText;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;

/** JSON allows every character to be escaped, and ASCII text is much cheaper to send. */
export function asciiJson(text: string): string {
  return showJson(JSON.stringify(text));
}

/** JSON that is safe to show in traces and is still JSON of the same value (SAFE-1). */
export function showJson(json: string): string {
  return json.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Foreign text that is safe to show in traces (SAFE-1). */
export function showText(text: string): string {
  return escapeText(cutText(text));
}

/** Does not split a surrogate pair: a collector may reject the whole batch for one. */
function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
