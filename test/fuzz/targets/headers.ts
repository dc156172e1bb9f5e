// Header values: any text goes through a header and comes back, and what claims to be encoded is decoded strictly.

import assert from "node:assert/strict";
import { formatHeaderValue, parseHeaderValue } from "../../../packages/onym/src/mcp/header-value.js";
import type { FuzzTarget } from "../fuzz-target.js";

export const headers: FuzzTarget = {
  name: "headers",
  tokens: ["=?base64?", "?=", "=", "==", "Zw", "/+", " ", "\t", "é", "\ufeff", "\ud83d\ude00", "\r\n", "\0"],
  read: (input) => {
    parseHeaderValue(formatHeaderValue(input.toString()));
    parseHeaderValue(input.toString("latin1"));
  },
  check: (input) => {
    const text = input.toString();
    const value = formatHeaderValue(text);
    assert.match(value, /^(?:[!-~]|[!-~][ -~]*[!-~])$/);
    assert.equal(parseHeaderValue(value), text);
    // Node gives header values as latin1.
    const header = input.toString("latin1");
    assert.equal(parseHeaderValue(header), decodePlainly(header));
    assert.equal(parseHeaderValue(text), decodePlainly(text));
  },
};

/** With the decoders of the web platform. */
function decodePlainly(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    const bytes = atob(encoded);
    if (btoa(bytes) !== encoded) return undefined;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}
