// The only text order in Onym: by code point, never by locale.

/** Compares by code point. (`<` on strings compares UTF-16 units, which differs for characters beyond U+FFFF.) */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate belongs to a code point that is greater than every other unit.
    const xHigh = x >= 0xd800 && x <= 0xdfff;
    const yHigh = y >= 0xd800 && y <= 0xdfff;
    return xHigh === yHigh ? x - y : xHigh ? 1 : -1;
  }
  return a.length - b.length;
}

/**
 * Sorts like `compareText`. Without surrogates the engine's own order is the same and much faster, so it is used
 * then.
 */
export function sortTexts(texts: Iterable<string>): string[] {
  const sorted = [...texts];
  return sorted.some((text) => /[\ud800-\udfff]/.test(text)) ? sorted.sort(compareText) : sorted.sort();
}
