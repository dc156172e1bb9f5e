// JSON from outside: read with care, forwarded unchanged.

/** A JSON object. Never use it as a map: its keys are untrusted (SAFE-1). */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property of any name; `undefined` if it is absent. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

// The size of values from outside, without work on what is beyond a limit (SAFE-4).

export function hasMoreMembers(object: JsonObject, max: number): boolean {
  let count = 0;
  for (const _ in object) if (++count > max) return true;
  return false;
}

/** Whether its JSON, with every escape counted as one character, has more than `max` characters. */
export function isLongerJson(value: unknown, max: number): boolean {
  return measureJson(value, max) > max;
}

/** The length of its JSON, with every escape counted as one character; of a longer one than `max`, something above `max`. */
export function measureJson(value: unknown, max: number): number {
  const waiting: unknown[] = [value];
  let length = 0;
  while (waiting.length > 0 && length <= max) {
    const next = waiting.pop();
    if (typeof next === "string") length += next.length + 2;
    else if (typeof next !== "object" || next === null) length += String(next).length;
    else if (Array.isArray(next)) {
      // The brackets, and commas between the values.
      length += Math.max(2, next.length + 1);
      if (length <= max) for (const each of next) waiting.push(each);
    } else {
      let members = 0;
      for (const key in next) {
        length += key.length + 3;
        if (length + members > max) return length + members;
        members += 1;
        waiting.push((next as JsonObject)[key]);
      }
      length += Math.max(2, members + 1);
    }
  }
  return length;
}

// Short copies of texts from outside, for what outlives a request. V8 makes a slice as a view of the whole text: 200 characters of
// a request of 4 MB keep all of it in memory.

/** The text itself if it is short; else its first `max` characters, in memory of their own. */
export function copyStart(text: string, max: number): string {
  return text.length <= max ? text : copyText(text.slice(0, max));
}

/** The same text in memory of its own, whatever it was cut from or joined of. Half a surrogate pair becomes U+FFFD. */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}

// Parses untrusted JSON. Text that is nested too deeply is refused here, because it cannot be serialized
// again: JSON.parse accepts any depth, but JSON.stringify and every recursive walk overflow the stack.

/**
 * Deeper than any real message or schema, and twice what many readers of JSON accept. JSON.stringify takes the longer for each value
 * the deeper it is: 4 MB of nested lists take 655 ms at 985 levels, 256 ms at 256 (2026-11-19).
 */
export const MAX_DEPTH = 256;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** `isDeep`: it is JSON, but nested too deeply. */
  | { readonly ok: false; readonly reason: string; readonly isDeep?: true };

/**
 * Parses a text, and never throws. `outer`: how many levels enclose it.
 * @example
 * parseJson("[1]"); // { ok: true, value: [1] }
 */
export function parseJson(text: string, outer = 0): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : "not JSON" };
  }
  // A level takes two characters, so short texts need no depth check.
  if (text.length > 2 * (MAX_DEPTH - outer) && isTooDeep(value, outer)) return TOO_DEEP;
  return { ok: true, value };
}

export const TOO_DEEP = {
  ok: false,
  reason: `nested more than ${MAX_DEPTH} levels deep`,
  isDeep: true,
} as const;

/** Walks the value rather than the text: most of a large message is strings, and each is one value. */
function isTooDeep(value: unknown, outer: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (outer === MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (isTooDeep(each, outer + 1)) return true;
    return false;
  }
  for (const key in value) if (isTooDeep((value as JsonObject)[key], outer + 1)) return true;
  return false;
}

// The text of one member inside a JSON text, to forward it unchanged: nothing is serialized again, and no
// number, order or escape changes.

/** The source of a message, or only what is forwarded of it. */
export type MessageText = string | ForwardedText;

/** The arguments of a call or a result, in one line of JSON. */
export interface ForwardedText {
  readonly value: JsonObject;
  readonly forwarded: string;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

/**
 * The text of the value at `path`, in a text that `JSON.parse` accepted. `undefined` if it is absent or
 * ambiguous: a duplicate key, or a key with escapes.
 * @example
 * memberText('{"id":1,"result":{"n":1.0}}', ["result"]); // '{"n":1.0}'
 */
export function memberText(text: string, path: readonly string[]): string | undefined {
  let start = skipSpace(text, 0);
  let end = text.length;
  for (const key of path) {
    const found = findMember(text, start, key);
    if (found === undefined) return undefined;
    ({ start, end } = found);
  }
  return text.slice(start, end);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Searches the object that begins here. */
function findMember(text: string, open: number, key: string): Range | undefined {
  if (text[open] !== "{") return undefined;
  let found: Range | undefined;
  let at = skipSpace(text, open + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at);
    const name = text.slice(at + 1, keyEnd);
    if (name.includes("\\")) return undefined;
    at = skipSpace(text, keyEnd + 1);
    if (text.charCodeAt(at) !== COLON) return undefined;
    const start = skipSpace(text, at + 1);
    const end = endOfValue(text, start);
    if (end <= start) return undefined;
    if (name === key) {
      if (found !== undefined) return undefined;
      found = { start, end };
    }
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== COMMA) return found;
    at = skipSpace(text, at + 1);
  }
  return found;
}

/** The offset after the value that begins here. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start) + 1;
  let level = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return -1;
    } else if (code === 123 || code === 91) level += 1;
    else if (code === 125 || code === 93) {
      level -= 1;
      if (level <= 0) return level === 0 ? at + 1 : at;
    } else if (level === 0 && (code === COMMA || code <= 32)) return at;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/**
 * The offset of the closing quote of the string that begins here; -1 without one. Most of a large message is
 * strings, so it uses `indexOf`.
 */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
