// Names and URIs as HTTP header values: plain if that is safe, else `=?base64?…?=` over UTF-8 (GW-4).

import { isUtf8 } from "node:buffer";

const START = "=?base64?";
const END = "?=";
/** Printable ASCII that no header parser trims. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * @example
 * formatHeaderValue("get_leads"); // "get_leads"
 * formatHeaderValue("größe"); // "=?base64?Z3LDtsOfZQ==?="
 */
export function formatHeaderValue(text: string): string {
  if (PLAIN.test(text) && !looksEncoded(text)) return text;
  return `${START}${Buffer.from(text, "utf8").toString("base64")}${END}`;
}

/** The text of a header value; `undefined` if it claims to be encoded but is not, strictly. */
export function parseHeaderValue(value: string): string | undefined {
  if (!looksEncoded(value)) return value;
  const encoded = value.slice(START.length, -END.length);
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  // Bits beyond the last byte must be zero, so that each text has one encoding.
  if (!isUtf8(bytes) || bytes.toString("base64") !== encoded) return undefined;
  return bytes.toString("utf8");
}

function looksEncoded(text: string): boolean {
  return text.startsWith(START) && text.endsWith(END) && text.length >= START.length + END.length;
}
