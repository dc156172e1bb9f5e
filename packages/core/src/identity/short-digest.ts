// The eight characters that tell apart what a cut made alike: base 32 of SHA-256 over length-prefixed parts.

import { sha256 } from "@noble/hashes/sha2.js";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** How many characters `shortDigest` returns. */
export const SHORT_DIGEST_LENGTH = 8;

// Used again for every digest: making them anew would take longer than the hashing.
const BLANK = sha256.create();
const hasher = sha256.create();
const hash = new Uint8Array(32);
const room = new Uint8Array(1024);

/**
 * 40 bits of SHA-256 over the parts, each preceded by its length, so that no two lists of parts are alike.
 *
 * @example
 * shortDigest(["docs", "search"]) === shortDigest(["docss", "earch"]); // false
 */
export function shortDigest(parts: readonly string[]): string {
  BLANK._cloneInto(hasher);
  hasher.update(encodeParts(parts)).digestInto(hash);
  let text = "";
  let bits = 0;
  let held = 0;
  for (let i = 0; text.length < SHORT_DIGEST_LENGTH; i++) {
    held = (held << 8) | (hash[i] ?? 0);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((held >>> bits) & 31);
      held &= (1 << bits) - 1;
    }
  }
  return text;
}

// UTF-16 units as three-byte UTF-8 where they are not ASCII: unlike UTF-8 proper, injective for lone surrogates too.
function encodeParts(parts: readonly string[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += 4 + part.length * 3;
  const bytes = size > room.length ? new Uint8Array(size) : room;
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
