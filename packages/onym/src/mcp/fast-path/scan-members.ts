// Finds the members of a JSON text in its bytes without parsing values. Accepts exactly what JSON.parse
// accepts, so that scanned text can be forwarded unparsed and parsed on access.

import { isUtf8 } from "node:buffer";
import { MAX_DEPTH } from "../json.js";
import { endOfNumber, endOfString, endOfWord, skipSpace } from "./scan-scalars.js";

/** From the first byte of a value to just after its last. */
export interface Member {
  readonly start: number;
  readonly end: number;
  /** For an object that was to be scanned too. */
  readonly members: Members | undefined;
}

export type Members = ReadonlyMap<string, Member>;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Values in one text: to scan as many takes up to 100 ms, and arguments of 4 MB have fewer (SAFE-4). */
export const MAX_SCANNED = 2_500_000;

/** Messages have five and results a handful; objects with more are parsed as usual. */
const MAX_MEMBERS = 100;

/**
 * The members of the object in a text, and of those members that should be scanned too. `undefined` if the
 * text is not JSON, is nested too deeply, has too many values, is not an object, or has an ambiguous key there: a
 * duplicate, or one with escapes. With `any` depth, no nesting is too deep.
 * @example
 * scanMembers(Buffer.from('{"id":1,"result":{"n":1.0}}'), new Set())?.get("result"); // { start: 17, end: 26 }
 */
export function scanMembers(
  bytes: Buffer,
  inside: ReadonlySet<string>,
  depth: "usual" | "any" = "usual",
): Members | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = depth === "usual" ? scannable(bytes) : scannableDeep(bytes);
  const members = new Map<string, Member>();
  const end = readObject(text, skipSpace(bytes, 0), { members, inside, level: 1 });
  return end > 0 && skipSpace(bytes, end) === bytes.length ? members : undefined;
}

/** Enough for members that stand before a large one. */
const FIRST_SCANNED = 1_000;

/** The first members of an object, whether or not the rest is JSON. */
export function scanFirstMembers(bytes: Buffer): Members {
  const members = new Map<string, Member>();
  const text = { ...scannable(bytes), left: FIRST_SCANNED };
  readObject(text, skipSpace(bytes, 0), { members, inside: NOTHING, level: 1 });
  return members;
}

/** Bytes prepared for scanning. */
export interface Text {
  readonly bytes: Buffer;
  /** Over the same bytes, to read several at once. */
  readonly view: DataView;
  /** By level: whether the open container is an object. Its length is the maximum depth. */
  readonly isObject: Uint8Array;
  /** How many values may still be scanned. */
  left: number;
}

/** Shared: scanning is synchronous, so only one scan uses it at a time. */
const USUAL_LEVELS = new Uint8Array(MAX_DEPTH + 1);

export function scannable(bytes: Buffer): Text {
  return { bytes, view: viewOf(bytes), isObject: USUAL_LEVELS, left: MAX_SCANNED };
}

/** For any depth: no text has more levels than bytes. */
export function scannableDeep(bytes: Buffer): Text {
  return { bytes, view: viewOf(bytes), isObject: new Uint8Array(bytes.length + 2), left: MAX_SCANNED };
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

interface Reading {
  readonly members: Map<string, Member>;
  readonly inside: ReadonlySet<string>;
  readonly level: number;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The offset after the object that begins here, with its members reported; -1 if there is none. */
function readObject(text: Text, open: number, { members, inside, level }: Reading): number {
  const { bytes, view } = text;
  if (bytes[open] !== OPEN_OBJECT) return -1;
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    const keyEnd = endOfString(bytes, view, at);
    if (keyEnd < 0) return -1;
    const key = bytes.toString("utf8", at + 1, keyEnd - 1);
    if (key.includes("\\") || members.has(key) || members.size === MAX_MEMBERS) return -1;
    const start = afterColon(bytes, keyEnd);
    if (start < 0) return -1;
    const inner = inside.has(key) && bytes[start] === OPEN_OBJECT ? new Map<string, Member>() : undefined;
    const end =
      inner === undefined
        ? endOfValue(text, start, level)
        : readObject(text, start, { members: inner, inside: NOTHING, level: level + 1 });
    if (end < 0) return -1;
    members.set(key, { start, end, members: inner });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * The offset after the value that begins here, on the given level; -1 if there is none. Without recursion.
 */
export function endOfValue(text: Text, start: number, outer: number): number {
  const { bytes, view, isObject } = text;
  const deepest = isObject.length - 1;
  let at = start;
  let level = outer;
  let left = text.left;
  for (;;) {
    left -= 1;
    if (left < 0) return -1;
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      if (level === deepest) return -1;
      level += 1;
      isObject[level] = first === OPEN_OBJECT ? 1 : 0;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== (first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST)) {
        if (first === OPEN_OBJECT) at = afterColon(bytes, endOfString(bytes, view, at));
        if (at < 0) return -1;
        continue;
      }
      at += 1;
      level -= 1;
    } else if (first === QUOTE) at = endOfString(bytes, view, at);
    else at = first !== undefined && first >= 97 ? endOfWord(bytes, at) : endOfNumber(bytes, at);
    if (at < 0) return -1;
    // A value has ended, and with it every container that closes here.
    while (level > outer) {
      at = skipSpace(bytes, at);
      if (bytes[at] === COMMA) break;
      if (bytes[at] !== (isObject[level] === 1 ? CLOSE_OBJECT : CLOSE_LIST)) return -1;
      at += 1;
      level -= 1;
    }
    if (level === outer) {
      text.left = left;
      return at;
    }
    at = skipSpace(bytes, at + 1);
    if (isObject[level] === 1) at = afterColon(bytes, endOfString(bytes, view, at));
    if (at < 0) return -1;
  }
}

/** The offset of the value behind a key; -1 without a colon or a key. */
function afterColon(bytes: Buffer, keyEnd: number): number {
  if (keyEnd < 0) return -1;
  const at = skipSpace(bytes, keyEnd);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : -1;
}
