// A JSON object that is still bytes and is parsed on access. It behaves like the object that JSON.parse would
// return; a serializer can take its bytes instead.

import type { JsonObject } from "../json.js";
import type { Members } from "./scan-members.js";

/** A text that `scanMembers` accepted, and the positions of the object and its members. */
export interface UnreadSource {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly members?: Members | undefined;
  /** It is nested too deeply to be parsed as a whole, or to be serialized again. */
  readonly isDeep?: true;
}

/** A symbol, so that no key from JSON can collide. */
const LETTERS = Symbol("letters");
const SOURCE = Symbol("source");

/** The bytes of an unparsed object; `undefined` for any other value. */
export function lettersOf(value: unknown): Buffer | undefined {
  return typeof value === "object" && value !== null ? Reflect.get(value, LETTERS) : undefined;
}

/** The member positions of an unparsed object; `undefined` for any other value. */
export function unreadSourceOf(value: JsonObject): UnreadSource | undefined {
  return Reflect.get(value, SOURCE);
}

/**
 * @example
 * const args = createUnreadObject({ bytes: Buffer.from('{"n":1.0}'), start: 0, end: 9 });
 * lettersOf(args)?.toString(); // '{"n":1.0}'
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
    if (key === LETTERS) return bytes.subarray(start, end);
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
