// How many values a text holds, at most: what it costs to read, whatever its length (SAFE-4).

import { MAX_READ_BYTES } from "./fast-path/parse-large.js";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;

/** Most strings end before that; in longer ones the next quote is searched for. */
const SHORT_STRING = 64;

/**
 * At least the values and keys of a JSON text, but at most `max`; of other text, of what stands before its first error. Plain strings
 * cost next to nothing, however long they are. What is beyond the bytes that are parsed does not count.
 * @example
 * estimateValues('{"a":[1,2]}', 100); // 5
 */
export function estimateValues(source: string | Buffer, max: number): number {
  // Every byte of a longer character is above those that are searched for.
  const text = typeof source === "string" ? source : source.toString("latin1", 0, MAX_READ_BYTES);
  const length = Math.min(text.length, MAX_READ_BYTES);
  let found = 1;
  for (let at = 0; at < length && found < max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at, length);
    else if (code === COMMA || code === COLON || code === OPEN_LIST || code === OPEN_OBJECT) found += 1;
  }
  return Math.min(found, max);
}

/** The offset of the closing quote of the string that begins here; `length` if it is not before. */
function endOfString(text: string, start: number, length: number): number {
  let plainFrom = start;
  for (let at = start + 1; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
    else if (at - plainFrom >= SHORT_STRING) {
      at = skipPlain(text, at);
      plainFrom = at;
    }
  }
  return length;
}

/** The offset before the next quote and the backslashes in front of it. */
function skipPlain(text: string, at: number): number {
  const quote = text.indexOf('"', at + 1);
  if (quote === -1) return text.length;
  let end = quote;
  while (end - 1 > at && text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  return end - 1;
}
