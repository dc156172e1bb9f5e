// A JSON object that is still bytes and is parsed on access. It behaves like the object that JSON.parse would
// return; a serializer can take its bytes instead.

import { isJsonObject, type JsonObject, ownValue } from "../json.js";
import type { Member, Members } from "./scan.js";

import { skipSpace } from "./scan-scalars.js";

/** A text that `scanMembers` accepted, and the positions of the object and its members. */
export interface UnreadSource {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly members?: Members | undefined;
  /** How many values it is, if that was counted. */
  readonly values?: number | undefined;
  /** It is nested too deeply to be parsed as a whole, or to be serialized again. */
  readonly isDeep?: true;
}

/** A symbol, so that no key from JSON can collide. */
const BYTES = Symbol("bytes");
const SOURCE = Symbol("source");

/** The bytes of an unparsed object; `undefined` for any other value. */
export function unreadBytesOf(value: unknown): Buffer | undefined {
  return typeof value === "object" && value !== null ? Reflect.get(value, BYTES) : undefined;
}

/** The member positions of an unparsed object; `undefined` for any other value. */
export function unreadSourceOf(value: JsonObject): UnreadSource | undefined {
  return Reflect.get(value, SOURCE);
}

/**
 * @example
 * const args = createUnreadObject({ bytes: Buffer.from('{"n":1.0}'), start: 0, end: 9 });
 * unreadBytesOf(args)?.toString(); // '{"n":1.0}'
 * args["n"]; // 1
 */
export function createUnreadObject(source: UnreadSource): JsonObject {
  return new Proxy({}, new Unread(source));
}

/** Members up to this size are parsed alone, larger ones with all the rest. */
const SMALL = 1024;
const OPEN_OBJECT = 123;

class Unread implements ProxyHandler<JsonObject> {
  readonly #source: UnreadSource;
  #read: JsonObject | undefined;

  constructor(source: UnreadSource) {
    this.#source = source;
  }

  #whole(): JsonObject {
    const { bytes, start, end } = this.#source;
    this.#read ??= JSON.parse(bytes.toString("utf8", start, end)) as JsonObject;
    return this.#read;
  }

  get(target: JsonObject, key: string | symbol): unknown {
    const { bytes, start, end, members } = this.#source;
    if (key === BYTES) return bytes.subarray(start, end);
    if (key === SOURCE) return this.#source;
    if (members === undefined || typeof key === "symbol") return Reflect.get(this.#whole(), key);
    const member = members.get(key);
    // Inherited properties, such as `constructor`.
    if (member === undefined) return Reflect.get(target, key);
    if (member.end - member.start <= SMALL)
      return JSON.parse(bytes.toString("utf8", member.start, member.end));
    return bytes[member.start] === OPEN_OBJECT
      ? createUnreadObject({ bytes, ...member })
      : Reflect.get(this.#whole(), key);
  }

  has(_target: JsonObject, key: string | symbol): boolean {
    return Reflect.has(this.#whole(), key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.#whole());
  }

  getOwnPropertyDescriptor(_target: JsonObject, key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#whole(), key);
  }
}

// Reads and changes single members of an object that may be unparsed, and leaves the others as bytes: a result of
// a server may hold millions of values, and to parse and serialize them takes seconds (SAFE-4). 8 MB of empty lists
// took 1.3 s, and take 40 ms (2026-11-17).

/** Flags and words are shorter. */
const SHORT = 1024;
const CLOSE_OBJECT = 125;

/** A member that is a flag or a word; `undefined` if it is absent, or too long to be one. */
export function shortMember(object: JsonObject, key: string): unknown {
  const source = scannedSourceOf(object);
  if (source === undefined) return ownValue(object, key);
  const member = source.members.get(key);
  return member === undefined || member.end - member.start > SHORT ? undefined : parse(source, member);
}

/** Whether a member is an object; `undefined` if it is absent. */
export function isObjectMember(object: JsonObject, key: string): boolean | undefined {
  const source = scannedSourceOf(object);
  if (source === undefined) return Object.hasOwn(object, key) ? isJsonObject(object[key]) : undefined;
  const member = source.members.get(key);
  return member === undefined ? undefined : source.bytes[member.start] === OPEN_OBJECT;
}

export interface Changed {
  readonly object: JsonObject;
  /** Its JSON, if it stays unparsed. */
  readonly text: Buffer | undefined;
}

/**
 * The object with other members; `undefined` removes one, and bytes are JSON.
 * @example
 * changeMembers({ a: 1, b: 2 }, { b: 3, c: Buffer.from("[]") }).object; // { a: 1, b: 3, c: [] }
 */
export function changeMembers(object: JsonObject, changes: JsonObject): Changed {
  const source = scannedSourceOf(object);
  if (source === undefined) {
    const changed = Object.entries({ ...object, ...changes }).filter(([, value]) => value !== undefined);
    const values = changed.map(([key, value]) => [
      key,
      Buffer.isBuffer(value) ? JSON.parse(String(value)) : value,
    ]);
    return { object: Object.fromEntries(values), text: undefined };
  }
  const { bytes, members } = source;
  const kept = [...members]
    .filter(([key]) => !Object.hasOwn(changes, key))
    .map(([key, { start, end }]) => [key, bytes.subarray(start, end)] as const);
  const added = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => [key, Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))] as const,
    );
  return joinMembers([...kept, ...added]);
}

/**
 * A member with more in it, for `changeMembers`.
 * @example
 * extendMember({ _meta: { a: 1 } }, "_meta", { b: 2 }); // { a: 1, b: 2 }
 */
export function extendMember(object: JsonObject, key: string, more: JsonObject): JsonObject | Buffer {
  if (isObjectMember(object, key) !== true) return more;
  const source = scannedSourceOf(object);
  const member = source?.members.get(key);
  if (source === undefined || member === undefined) return { ...(object[key] as JsonObject), ...more };
  if (member.end - member.start <= SHORT) return { ...(parse(source, member) as JsonObject), ...more };
  const { bytes } = source;
  const first = skipSpace(bytes, member.start + 1);
  if (bytes[first] === CLOSE_OBJECT) return more;
  // Of a member that is there twice, the last counts.
  const rest = `,${JSON.stringify(more).slice(1)}`;
  return Buffer.concat([bytes.subarray(member.start, member.end - 1), Buffer.from(rest)]);
}

type ScannedSource = UnreadSource & { readonly members: NonNullable<UnreadSource["members"]> };

function scannedSourceOf(object: JsonObject): ScannedSource | undefined {
  const source = unreadSourceOf(object);
  return source?.members === undefined ? undefined : { ...source, members: source.members };
}

function parse({ bytes }: UnreadSource, { start, end }: Member): unknown {
  return JSON.parse(bytes.toString("utf8", start, end));
}

function joinMembers(values: readonly (readonly [key: string, value: Buffer])[]): Changed {
  const members = new Map<string, Member>();
  const pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const [key, value] of values) {
    add(Buffer.from(`${members.size === 0 ? "{" : ","}${JSON.stringify(key)}:`));
    members.set(key, { start: length, end: length + value.length, members: undefined });
    add(value);
  }
  add(Buffer.from(members.size === 0 ? "{}" : "}"));
  const bytes = Buffer.concat(pieces, length);
  return { object: createUnreadObject({ bytes, start: 0, end: length, members }), text: bytes };
}
