// ASCII-only lower-casing (CANON-4): locale and Unicode case rules never touch a name.

/** Lower-cases A–Z and nothing else. */
export function foldAscii(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()) : text;
}
