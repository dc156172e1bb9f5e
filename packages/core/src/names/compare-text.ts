// The one order of texts in Onym: by code point, never by locale.

/** Orders by code point. (`<` on strings orders by UTF-16 unit, which differs for characters beyond U+FFFF.) */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate stands for a code point above every other unit.
    const xHigh = x >= 0xd800 && x <= 0xdfff;
    const yHigh = y >= 0xd800 && y <= 0xdfff;
    return xHigh === yHigh ? x - y : xHigh ? 1 : -1;
  }
  return a.length - b.length;
}

/** In the order of `compareText`. Where no text holds a surrogate the engine's own order is the same, and much faster. */
export function sortTexts(texts: Iterable<string>): string[] {
  const sorted = [...texts];
  return sorted.some((text) => /[\ud800-\udfff]/.test(text)) ? sorted.sort(compareText) : sorted.sort();
}
