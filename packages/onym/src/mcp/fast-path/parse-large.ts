// Parses a large message. Parts that are only forwarded stay unparsed: the arguments of a call, and results. Accepts what
// JSON.parse accepts, which is its oracle in the tests, and has the same value.

import {
  type JsonObject,
  MAX_DEPTH,
  type MessageText,
  type ParsedJson,
  parseJson,
  TOO_DEEP,
} from "../json.js";
import { CODES } from "../protocol.js";
import { MAX_SCANNED, type Member, type Members, scanFirstMembers, scanMembers } from "./scan-members.js";
import { endOfString, skipSpace } from "./scan-scalars.js";
import { createUnreadObject, type UnreadSource, unreadSourceOf } from "./unread-object.js";

/** `text` is absent if parts stay unparsed. `isRefused`: not parsed, because it contains too many values. */
export type ParsedMessage = ParsedJson & { readonly text?: MessageText; readonly isRefused?: true };

/** From this size on, scanning for positions is cheaper than parsing values. */
export const LARGE = 8192;

/**
 * Maximum parsed values per message: 20,000 take up to 50 ms, the millions that fit into one 2 s (SAFE-4).
 * Unparsed parts do not count.
 */
export const MAX_VALUES = 20_000;

/** Maximum parsed bytes per message: of one string, so many take 70 ms to parse and to serialize again, 50 MB 450 ms. */
const MAX_READ_BYTES = 8 * 1_048_576;

/** Maximum line ends in larger arguments or results: each is searched for, and 66 MB of them took 1 s (SAFE-4). */
export const MAX_LINE_ENDS = 100_000;

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const OPEN_OBJECT = 123;
const SPACE = 32;
const LINE_ENDS = [10, 13];

/** `undefined`: JSON.parse may read it whole. */
export function parseLarge(source: string | Buffer): ParsedMessage | undefined {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  const members = scanMembers(bytes, INSIDE);
  if (members !== undefined) return parseMembers(bytes, members);
  // Of a text that is refused anyway, the beginning tells why.
  const values = countValues(bytes, { start: 0, end: Math.min(bytes.length, MAX_READ_BYTES) });
  if (values <= MAX_VALUES && bytes.length <= MAX_READ_BYTES) return undefined;
  return values === Infinity ? TOO_DEEP : TOO_MANY_VALUES;
}

/** Ids of Onym's requests are short numbers. */
const MAX_ID_BYTES = 100;

/** A response whose result is nested too deeply: the result stays unparsed. */
export function parseDeepResponse(source: string | Buffer): ParsedMessage | undefined {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  const members = scanMembers(bytes, INSIDE, "any");
  const envelope = members === undefined ? undefined : readEnvelope(bytes, members);
  if (members === undefined || envelope === undefined) return undefined;
  const result = members.get("result");
  if (members.has("error") && result === undefined)
    return { ok: true, value: { ...envelope, error: { code: CODES.internal, message: TOO_DEEP.reason } } };
  if (members.has("error") || result?.members === undefined) return undefined;
  return {
    ok: true,
    value: { ...envelope, result: createUnreadObject({ bytes, ...result, isDeep: true }) },
  };
}

/** A response that is refused as a whole is an error; it is recognized by its first members, and not read on. */
export function parseRefusedResponse(source: string | Buffer, reason: string): ParsedMessage | undefined {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  const members = scanFirstMembers(bytes.subarray(0, MAX_READ_BYTES));
  const envelope = members.has("method") ? undefined : readEnvelope(bytes, members);
  if (envelope === undefined) return undefined;
  return { ok: true, value: { ...envelope, error: { code: CODES.internal, message: reason } } };
}

/** What every response has. */
function readEnvelope(bytes: Buffer, members: Members): JsonObject | undefined {
  const textOf = (key: string): string => {
    const { start, end } = members.get(key) ?? { start: 0, end: 0 };
    return bytes.toString("utf8", start, Math.min(end, start + MAX_ID_BYTES));
  };
  const id = parseJson(textOf("id"));
  return textOf("jsonrpc") === '"2.0"' && id.ok ? { jsonrpc: "2.0", id: id.value } : undefined;
}

const TOO_MANY_VALUES: ParsedMessage = {
  ok: false,
  isRefused: true,
  reason: `a message holds at most ${MAX_VALUES} values or ${MAX_READ_BYTES} bytes, and ${MAX_SCANNED} values with the arguments and the result of a call; of more than ${MAX_READ_BYTES} bytes, those have at most ${MAX_LINE_ENDS} line ends`,
};

/** A message whose arguments or result stay unparsed. */
function parseMembers(bytes: Buffer, members: Members): ParsedMessage {
  let values = 0;
  let length = 0;
  let hasManyLines = false;
  const isTooMuch = (): boolean => values > MAX_VALUES || length > MAX_READ_BYTES || hasManyLines;
  const read = (member: Member): unknown => {
    length += member.end - member.start;
    if (!isTooMuch()) values += countValues(bytes, member);
    return isTooMuch() ? undefined : JSON.parse(bytes.toString("utf8", member.start, member.end));
  };
  const leave = (member: Member): unknown => {
    if (bytes[member.start] !== OPEN_OBJECT) return read(member);
    if (isOneLine(bytes, member)) return createUnreadObject({ bytes, ...member });
    if (member.end - member.start <= MAX_READ_BYTES && countValues(bytes, member) <= MAX_VALUES)
      return read(member);
    const line = inOneLine(bytes, member);
    if (line !== undefined) return createUnreadObject(line);
    hasManyLines = true;
    return undefined;
  };
  const readParams = (params: Members): JsonObject =>
    mapMembers(params, (key, member) => (key === "arguments" ? leave(member) : read(member)));
  const value = mapMembers(members, (key, member) => {
    if (key === "result") return leave(member);
    return key === "params" && member.members !== undefined ? readParams(member.members) : read(member);
  });
  return isTooMuch() ? TOO_MANY_VALUES : { ok: true, value };
}

/** Whether an object is parsed, or small enough to be parsed in one turn (SAFE-4). */
export function isReadable(object: JsonObject): boolean {
  const source = unreadSourceOf(object);
  if (source === undefined) return true;
  return source.end - source.start <= MAX_READ_BYTES && countValues(source.bytes, source) <= MAX_VALUES;
}

/** The same for a text that is to be parsed. */
export function isReadableText(text: string): boolean {
  if (text.length < LARGE) return true;
  const bytes = Buffer.from(text);
  return countValues(bytes, { start: 0, end: bytes.length }) <= MAX_VALUES;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;

/**
 * The number of values in a JSON text, up to one more than the limit; in invalid JSON, those before the
 * error. Infinity if it is nested too deeply.
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

/** Some transports frame messages as lines or events, so text with line ends is serialized again. */
function isOneLine(bytes: Buffer, { start, end }: Member): boolean {
  return LINE_ENDS.every((byte) => {
    const at = bytes.indexOf(byte, start);
    return at === -1 || at >= end;
  });
}

/**
 * JSON strings contain no line ends: they all stand between values, so replacing them keeps every position. `undefined` if a
 * large text has too many.
 */
function inOneLine(bytes: Buffer, member: Member): UnreadSource | undefined {
  const { start, end } = member;
  const isLarge = end - start > MAX_READ_BYTES;
  const found = isLarge ? findLineEnds(bytes, member) : [];
  if (found === undefined) return undefined;
  const line = Buffer.from(bytes);
  for (const at of found) line[at] = SPACE;
  // Byte by byte: there may be millions, and each search costs more than a byte.
  if (!isLarge)
    for (let at = start; at < end; at++)
      if (line[at] === LINE_ENDS[0] || line[at] === LINE_ENDS[1]) line[at] = SPACE;
  return { bytes: line, ...member };
}

/** `undefined` if there are too many. */
function findLineEnds(bytes: Buffer, { start, end }: Member): readonly number[] | undefined {
  const found: number[] = [];
  for (const byte of LINE_ENDS)
    for (let at = bytes.indexOf(byte, start); at !== -1 && at < end; at = bytes.indexOf(byte, at + 1)) {
      if (found.length === MAX_LINE_ENDS) return undefined;
      found.push(at);
    }
  return found;
}

function mapMembers(members: Members, read: (key: string, member: Member) => unknown): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, read(key, member)]));
}
