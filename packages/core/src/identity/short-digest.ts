// Short digests, for names that are equal after cutting, for call ids and for integrations: eight characters, base 32 of
// SHA-256 over length-prefixed parts.

import { sha256 } from "@noble/hashes/sha2.js";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** The number of characters that `shortDigest` returns. */
export const SHORT_DIGEST_LENGTH = 8;

/**
 * 40 bits of SHA-256 over the parts. Each part is preceded by its length, so no two lists of parts encode to the
 * same bytes.
 *
 * @example
 * shortDigest(["docs", "search"]) === shortDigest(["docss", "earch"]); // false
 */
export function shortDigest(parts: readonly string[]): string {
  const hash = sha256(encodeParts(parts));
  let text = "";
  let bits = 0;
  let held = 0;
  for (let i = 0; text.length < SHORT_DIGEST_LENGTH; i++) {
    held = (held << 8) | (hash[i] ?? 0);
    bits += 8;
    while (bits >= 5 && text.length < SHORT_DIGEST_LENGTH) {
      bits -= 5;
      text += ALPHABET.charAt((held >>> bits) & 31);
      held &= (1 << bits) - 1;
    }
  }
  return text;
}

// Encodes each non-ASCII UTF-16 unit as three bytes. Unlike real UTF-8 this is injective for lone surrogates too.
function encodeParts(parts: readonly string[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += 4 + part.length * 3;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    const length = part.length;
    bytes[at++] = length >>> 24;
    bytes[at++] = length >>> 16;
    bytes[at++] = length >>> 8;
    bytes[at++] = length;
    for (let i = 0; i < length; i++) {
      const unit = part.charCodeAt(i);
      if (unit < 0x80) {
        bytes[at++] = unit;
      } else {
        bytes[at++] = 0xe0 | (unit >>> 12);
        bytes[at++] = 0x80 | ((unit >>> 6) & 0x3f);
        bytes[at++] = 0x80 | (unit & 0x3f);
      }
    }
  }
  return bytes.subarray(0, at);
}
