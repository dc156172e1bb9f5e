// Shortens a text at word boundaries if possible (NAME-2).

/**
 * At most `room` characters from the start of a text, ending at a word boundary. Cuts inside a word only if not
 * even one word fits.
 */
export function cutWords(text: string, room: number): string {
  const words = wholeWords(text, room);
  return words === "" ? text.slice(0, Math.max(0, room)) : words;
}

/** As many whole words from the start as fit; empty if none does. */
export function wholeWords(text: string, room: number): string {
  if (text.length <= room) return text;
  for (let end = room; end > 0; end--) {
    if (!startsWord(text, end)) continue;
    while (end > 0 && isSeparator(text.charCodeAt(end - 1))) end--;
    return text.slice(0, end);
  }
  return "";
}

/** A word starts after a separator, and at a capital after a small letter. */
function startsWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (isSeparator(unit) || isSeparator(text.charCodeAt(at - 1))) return true;
  const before = text.charCodeAt(at - 1);
  return unit >= 0x41 && unit <= 0x5a && before >= 0x61 && before <= 0x7a;
}

function isSeparator(unit: number): boolean {
  return unit === 0x5f || unit === 0x2d || unit === 0x2e;
}

/** Removes trailing separators. A loop, because a pattern would be quadratic on long runs of underscores. */
export function trimSeparators(text: string): string {
  let end = text.length;
  while (end > 0 && isSeparator(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}
