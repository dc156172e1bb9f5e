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
