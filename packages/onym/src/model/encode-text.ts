// Encodes long texts in steps: with characters of several bytes, a megabyte takes some milliseconds (SAFE-4).

import type { Steps } from "./run-slices.js";

/** Characters per step. */
export const STEP_LENGTH = 1024 * 1024;

/** The same bytes as `Buffer.from(text)`. */
export function* encodeSteps(text: string): Steps<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = splitsPair(text, at + STEP_LENGTH) ? at + STEP_LENGTH + 1 : at + STEP_LENGTH;
    pieces.push(Buffer.from(text.slice(at, end)));
    at = end;
    yield;
  }
  return Buffer.concat(pieces);
}

function splitsPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
}

function isBetween(unit: number, from: number, to: number): boolean {
  return unit >= from && unit <= to;
}

// Any text as a part of an address.

/** With the `u` flag, whole pairs do not match. */
const LONE = /[\uD800-\uDFFF]/u;

/** Like `encodeURIComponent`, which throws on a lone surrogate; that is encoded as its own three bytes. */
export function encodeUriText(text: string): string {
  return [...text]
    .map((character) => (LONE.test(character) ? encodeLone(character) : encodeURIComponent(character)))
    .join("");
}

function encodeLone(character: string): string {
  const code = character.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
}
