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
    if (value !== undefined) text += `${text === "" ? "" : ","}${formatAttribute(key, value)}`;
  }
  return text as AttributesText;
}

export function formatAttribute(key: string, value: AttributeValue): AttributesText {
  const shown =
    typeof value === "number"
      ? `{"intValue":"${value}"}`
      : `{"stringValue":${JSON.stringify(cutText(value))}}`;
  return `{"key":${JSON.stringify(key)},"value":${shown}}` as AttributesText;
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
