// Attributes of spans as OTLP writes them in JSON. What many spans have alike is written once and kept as text.

import { escapeText } from "@onym/core";

declare const attributesText: unique symbol;

/** `{"key":…,"value":…},{…}`: members of a list, without its brackets. */
export type AttributesText = string & { readonly [attributesText]: true };

export type AttributeValue = string | number;

/** Names come from outside, and go with every span. */
const MOST_CHARACTERS = 1_000;

/** Only what is known is there. Texts are safe to show already. */
export function formatAttributes(
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
): AttributesText {
  let text = "";
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) text += `${text === "" ? "" : ","}${formatAttribute(asciiJson(key), value)}`;
  }
  return text as AttributesText;
}

/** `key` is JSON. */
export function formatAttribute(key: string, value: AttributeValue): AttributesText {
  const shown =
    typeof value === "number" ? `{"intValue":"${value}"}` : `{"stringValue":${asciiJson(cutText(value))}}`;
  return `{"key":${key},"value":${shown}}` as AttributesText;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;

/** In JSON any character may be written as an escape; a text of plain characters costs a fraction to send. */
export function asciiJson(text: string): string {
  return showJson(JSON.stringify(text));
}

/** JSON as people read it in traces: still JSON of the same value (SAFE-1). */
export function showJson(json: string): string {
  return json.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Foreign text as people read it in traces (SAFE-1). */
export function showText(text: string): string {
  return escapeText(cutText(text));
}

/** No half character at the end: who reads a batch may refuse all of it for one. */
function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
