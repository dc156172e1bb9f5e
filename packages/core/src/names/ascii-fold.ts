// ASCII-only lower-casing (CANON-4). Locale and Unicode case rules never apply to names.

/** Lower-cases A–Z and nothing else. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}
