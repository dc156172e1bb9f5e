// A message as it came → its value. Of a large one, what is only passed on stays unread: the arguments of a call, and
// results.

import { type Member, type Members, scanMembers } from "./fast-path/scan-members.js";
import { endOfString, skipSpace } from "./fast-path/scan-scalars.js";
import { createUnreadObject } from "./fast-path/unread-object.js";
import type { JsonObject } from "./json.js";
import { MAX_DEPTH, type ParsedJson, parseJson } from "./parse-json.js";

/** `text` where all of it was parsed: what it was parsed from. `isRefused`: not looked at, because too much is in it. */
export type ParsedMessage = ParsedJson & { readonly text?: string; readonly isRefused?: true };

/** Bytes from which on it is cheaper to look where things are than to make values of them. */
const LARGE = 8192;

/**
 * Values that are parsed of one message: 20,000 take up to 50 ms, the millions that fit into one 2 s (SAFE-4). What is
 * passed on unread is not counted.
 */
export const MAX_VALUES = 20_000;

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const OPEN_OBJECT = 123;
const SPACE = 32;
const LINE_ENDS = [10, 13];

/**
 * Parses a message, and never throws. Bytes that are no UTF-8 are shown as U+FFFD.
 *
 * @example
 * parseMessage('{"jsonrpc":"2.0","method":"ping"}'); // { ok: true, value: { … }, text: … }
 */
export function parseMessage(source: string | Buffer): ParsedMessage {
  if (source.length >= LARGE) {
    const bytes = typeof source === "string" ? Buffer.from(source) : source;
    const members = scanMembers(bytes, INSIDE);
    const parsed = members === undefined ? undefined : parseMembers(bytes, members);
    if (parsed !== undefined) return parsed;
    const values = countValues(bytes, { start: 0, end: bytes.length });
    if (values > MAX_VALUES) return values === Infinity ? TOO_DEEP : TOO_MANY_VALUES;
  }
  const text = source.toString();
  const parsed = parseJson(text);
  return parsed.ok ? { ok: true, value: parsed.value, text } : parsed;
}

const TOO_DEEP: ParsedMessage = { ok: false, reason: `nested more than ${MAX_DEPTH} levels deep` };
const TOO_MANY_VALUES: ParsedMessage = {
  ok: false,
  isRefused: true,
  reason: `a message holds at most ${MAX_VALUES} values beside the arguments of a call`,
};

/** A message of which the arguments or the result stay unread. */
function parseMembers(bytes: Buffer, members: Members): ParsedMessage {
  let values = 0;
  const read = (member: Member): unknown => {
    values += countValues(bytes, member);
    return values > MAX_VALUES ? undefined : JSON.parse(bytes.toString("utf8", member.start, member.end));
  };
  const leave = (member: Member): unknown => {
    if (bytes[member.start] !== OPEN_OBJECT) return read(member);
    if (isOneLine(bytes, member)) return createUnreadObject({ bytes, ...member });
    return countValues(bytes, member) > MAX_VALUES
      ? createUnreadObject(inOneLine(bytes, member))
      : read(member);
  };
  const readParams = (params: Members): JsonObject =>
    mapMembers(params, (key, member) => (key === "arguments" ? leave(member) : read(member)));
  const value = mapMembers(members, (key, member) => {
    if (key === "result") return leave(member);
    return key === "params" && member.members !== undefined ? readParams(member.members) : read(member);
  });
  return values > MAX_VALUES ? TOO_MANY_VALUES : { ok: true, value };
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;

/**
 * How many values a text has that is JSON, up to one more than are parsed; of what is none, those before it breaks.
 * Infinity where it is nested beyond reason.
 */
function countValues(bytes: Buffer, { start, end }: Pick<Member, "start" | "end">): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let values = 1;
  let level = 0;
  for (let at = start; at < end && values <= MAX_VALUES; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, view, at);
      if (at < 0) break;
      continue;
    }
    at += 1;
    if (byte === COMMA) values += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) level -= 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      level += 1;
      if (level > MAX_DEPTH) return Infinity;
      const first = bytes[skipSpace(bytes, at)];
      if (first !== CLOSE_OBJECT && first !== CLOSE_LIST) values += 1;
    }
  }
  return values;
}

/** Messages are lines and events in places, so that what has line ends in it is written anew. */
function isOneLine(bytes: Buffer, { start, end }: Member): boolean {
  return LINE_ENDS.every((byte) => {
    const at = bytes.indexOf(byte, start);
    return at === -1 || at >= end;
  });
}

/** Strings of JSON have no line ends in them: all that there are stand between values. */
function inOneLine(bytes: Buffer, { start, end }: Member): { bytes: Buffer; start: number; end: number } {
  const line = Buffer.from(bytes.subarray(start, end));
  for (const byte of LINE_ENDS)
    for (let at = line.indexOf(byte); at !== -1; at = line.indexOf(byte, at + 1)) line[at] = SPACE;
  return { bytes: line, start: 0, end: line.length };
}

function mapMembers(members: Members, read: (key: string, member: Member) => unknown): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, read(key, member)]));
}
