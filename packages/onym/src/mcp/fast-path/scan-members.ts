// Where the members of a JSON text stand in its bytes, without making values of them. Takes what JSON.parse takes, and
// nothing else, so that what was scanned can be passed on unread and parsed when somebody asks.

import { isUtf8 } from "node:buffer";
import { MAX_DEPTH } from "../parse-json.js";
import { endOfNumber, endOfString, endOfWord, skipSpace } from "./scan-scalars.js";

/** From the first byte of a value to just after its last. */
export interface Member {
  readonly start: number;
  readonly end: number;
  /** Of an object that was to be looked into. */
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

/** Messages have five and results a handful; more are read in the usual way. */
const MOST_MEMBERS = 100;

/**
 * The members of the object that a text is, and of those members that are to be looked into. `undefined` where the text
 * is no JSON, is nested too deeply, is no object, or has a key in those places that could be read in two ways: one that
 * is there twice, or that is written with escapes.
 *
 * @example
 * scanMembers(Buffer.from('{"id":1,"result":{"n":1.0}}'), new Set())?.get("result"); // { start: 17, end: 26 }
 */
export function scanMembers(bytes: Buffer, inside: ReadonlySet<string>): Members | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text: Text = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
  const members = new Map<string, Member>();
  const end = readObject(text, skipSpace(bytes, 0), { members, inside, level: 1 });
  return end > 0 && skipSpace(bytes, end) === bytes.length ? members : undefined;
}

interface Text {
  readonly bytes: Buffer;
  /** Of the same bytes, to look at several at once. */
  readonly view: DataView;
}

interface Reading {
  readonly members: Map<string, Member>;
  readonly inside: ReadonlySet<string>;
  readonly level: number;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Just after the object that begins here, with its members told; -1 where there is none. */
function readObject(text: Text, open: number, { members, inside, level }: Reading): number {
  const { bytes, view } = text;
  if (bytes[open] !== OPEN_OBJECT) return -1;
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    const keyEnd = endOfString(bytes, view, at);
    if (keyEnd < 0) return -1;
    const key = bytes.toString("utf8", at + 1, keyEnd - 1);
    if (key.includes("\\") || members.has(key) || members.size === MOST_MEMBERS) return -1;
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

/** By level: whether what is open there is an object. Nobody else scans meanwhile. */
const isObject = new Uint8Array(MAX_DEPTH + 1);

/** Just after the value that begins here, on the given level; -1 where there is none. Without recursion. */
function endOfValue({ bytes, view }: Text, start: number, outer: number): number {
  let at = start;
  let level = outer;
  for (;;) {
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      if (level === MAX_DEPTH) return -1;
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
    // A value is over, and with it all that end here.
    while (level > outer) {
      at = skipSpace(bytes, at);
      if (bytes[at] === COMMA) break;
      if (bytes[at] !== (isObject[level] === 1 ? CLOSE_OBJECT : CLOSE_LIST)) return -1;
      at += 1;
      level -= 1;
    }
    if (level === outer) return at;
    at = skipSpace(bytes, at + 1);
    if (isObject[level] === 1) at = afterColon(bytes, endOfString(bytes, view, at));
    if (at < 0) return -1;
  }
}

/** Where the value behind a key begins; -1 where no colon follows, or there was no key. */
function afterColon(bytes: Buffer, keyEnd: number): number {
  if (keyEnd < 0) return -1;
  const at = skipSpace(bytes, keyEnd);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : -1;
}
