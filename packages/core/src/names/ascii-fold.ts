// ASCII-only lower-casing (CANON-4). Locale and Unicode case rules never apply to names.

/** Lower-cases A–Z and nothing else. */
export function foldAscii(text: string): string {
  let hasUpper = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
    if (unit >= 0x41 && unit <= 0x5a) hasUpper = true;
  }
  return hasUpper ? text.toLowerCase() : text;
}
