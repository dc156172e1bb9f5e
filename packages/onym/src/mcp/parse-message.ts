// A message as it came → its value. Of a large one, what is only passed on stays unread: the arguments of a call, and
// results.

import { type Member, type Members, scanMembers } from "./fast-path/scan-members.js";
import { createUnreadObject } from "./fast-path/unread-object.js";
import type { JsonObject } from "./json.js";
import { type ParsedJson, parseJson } from "./parse-json.js";

/** `text` where all of it was parsed: what it was parsed from. */
export type ParsedMessage = ParsedJson & { readonly text?: string };

/** Bytes from which on it is cheaper to look where things are than to make values of them. */
const LARGE = 8192;

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const OPEN_OBJECT = 123;
const LINE_ENDS = [10, 13];

/**
 * Parses a message, and never throws. Bytes that are no UTF-8 are shown as U+FFFD.
 *
 * @example
 * parseMessage('{"jsonrpc":"2.0","method":"ping"}'); // { ok: true, value: { … }, text: … }
 */
export function parseMessage(source: string | Buffer): ParsedMessage {
  const large =
    source.length < LARGE ? undefined : readLarge(typeof source === "string" ? Buffer.from(source) : source);
  if (large !== undefined) return { ok: true, value: large };
  const text = source.toString();
  const parsed = parseJson(text);
  return parsed.ok ? { ok: true, value: parsed.value, text } : parsed;
}

/** `undefined` for what is no message, or not to be read in this way. */
function readLarge(bytes: Buffer): JsonObject | undefined {
  const read = ({ start, end }: Member): unknown => JSON.parse(bytes.toString("utf8", start, end));
  const leave = (member: Member): unknown =>
    bytes[member.start] === OPEN_OBJECT && isOneLine(bytes, member)
      ? createUnreadObject({ bytes, ...member })
      : read(member);
  const readParams = (members: Members): JsonObject =>
    mapMembers(members, (key, member) => (key === "arguments" ? leave(member) : read(member)));
  const readMember = (key: string, member: Member): unknown => {
    if (key === "result") return leave(member);
    return key === "params" && member.members !== undefined ? readParams(member.members) : read(member);
  };
  const members = scanMembers(bytes, INSIDE);
  return members === undefined ? undefined : mapMembers(members, readMember);
}

/** Messages are lines and events in places, so that what has line ends in it is written anew. */
function isOneLine(bytes: Buffer, { start, end }: Member): boolean {
  return LINE_ENDS.every((byte) => {
    const at = bytes.indexOf(byte, start);
    return at === -1 || at >= end;
  });
}

function mapMembers(members: Members, read: (key: string, member: Member) => unknown): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, read(key, member)]));
}
