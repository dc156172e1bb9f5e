// Short pieces of long texts, for what outlives a request. V8 makes a slice as a view of the whole text: 200 characters of a
// request of 4 MB keep all of it in memory.

/** The text itself if it is short; else its first `max` characters, in memory of their own. */
export function copyStart(text: string, max: number): string {
  return text.length <= max ? text : copyText(text.slice(0, max));
}

/** The same text in memory of its own, whatever it was cut from or joined of. Half a surrogate pair becomes U+FFFD. */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
