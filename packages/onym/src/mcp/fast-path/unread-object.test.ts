import { canonicalJson } from "@onym/core/identity";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, ownValue } from "../json.js";
import { scanMembers } from "./scan-members.js";
import {
  changeMembers,
  createUnreadObject,
  extendMember,
  isObjectMember,
  shortMember,
  unreadBytesOf,
} from "./unread-object.js";

function unread(letters: string, knows: "members" | "nothing" = "nothing"): JsonObject {
  const bytes = Buffer.from(`${letters}]]`);
  const end = bytes.length - 2;
  const members = knows === "members" ? scanMembers(bytes.subarray(0, end), new Set()) : undefined;
  return createUnreadObject({ bytes, start: 0, end, members });
}

describe("an object that was not read", () => {
  it("is what JSON.parse makes of it, to whoever looks", () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom("__proto__", "constructor", "toString", "toJSON", "length", "0"),
    );
    const large = fc.string({ minLength: 0, maxLength: 3 }).map((each) => each.repeat(800));
    const value = fc.oneof(fc.jsonValue(), large, fc.dictionary(key, large));
    fc.assert(
      fc.property(
        fc.dictionary(key, value),
        key,
        fc.constantFrom("members", "nothing"),
        (object, other, knows) => {
          const letters = JSON.stringify(object);
          const parsed = JSON.parse(letters) as JsonObject;
          const looks: ((one: JsonObject) => unknown)[] = [
            (one) => one[other],
            (one) => other in one,
            (one) => ownValue(one, other),
            (one) => Object.keys(one),
            (one) => Object.entries(one),
            (one) => ({ ...one }),
            (one) => JSON.stringify({ in: one }),
            (one) => canonicalJson(one),
            (one) => Object.keys(one).map((each) => one[each]),
            (one) => [isJsonObject(one), Array.isArray(one), Object.getPrototypeOf(one)],
          ];
          for (const look of looks) expect(look(unread(letters, knows))).toEqual(look(parsed));
          const twice = unread(letters, knows);
          for (const look of looks) expect(look(twice)).toEqual(look(parsed));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("gives its letters to whoever writes it (GW-5)", () => {
    const letters = '{"n":12345678901234567890,"x":1.50,"a":[ 1,2 ],"e":"\\u00e9"}';
    expect(unreadBytesOf(unread(letters))?.toString()).toBe(letters);
    expect(unreadBytesOf(unread(letters, "members"))?.toString()).toBe(letters);
    expect(unreadBytesOf({ ...unread(letters) })).toBeUndefined();
    for (const other of [undefined, null, 1, "x", {}, []]) expect(unreadBytesOf(other)).toBeUndefined();
  });
});

function scanned(text: string): JsonObject {
  const bytes = Buffer.from(text);
  return createUnreadObject({ bytes, start: 0, end: bytes.length, members: scanMembers(bytes, new Set()) });
}

const key = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom("_meta", "isError", "__proto__", "constructor", "toString", "0"),
);
const long = fc.string({ minLength: 1, maxLength: 3 }).map((text) => text.repeat(1_200));
const value = fc.oneof(fc.jsonValue(), long, fc.dictionary(key, long), fc.constant({}), fc.constant(null));
const object = fc.dictionary(key, value).map((each) => JSON.parse(JSON.stringify(each)) as JsonObject);

describe("an object that may be unparsed", () => {
  it("is changed as a parsed one is, and its text says the same (SAFE-4)", () => {
    fc.assert(
      fc.property(object, object, key, (before, changes, gone) => {
        const all = { ...changes, [gone]: undefined };
        const plain = changeMembers(before, all);
        const { object: changed, text } = changeMembers(scanned(JSON.stringify(before)), all);
        expect(plain.text).toBe(undefined);
        expect({ ...changed }).toEqual(plain.object);
        // Keys with escapes and doubled ones are not scanned, and then it is parsed.
        if (text !== undefined) expect(JSON.parse(text.toString())).toEqual(plain.object);
      }),
    );
  });

  it("has a member extended as a parsed one has (SAFE-4)", () => {
    fc.assert(
      fc.property(
        object,
        key,
        object.filter((more) => Object.keys(more).length > 0),
        (before, at, more) => {
          const texts = [
            before,
            scanned(JSON.stringify(before)),
            scanned(JSON.stringify(before, undefined, 400)),
          ].map((each) => changeMembers(each, { x: extendMember(each, at, more) }).object["x"]);
          const own = Object.hasOwn(before, at) ? before[at] : undefined;
          const isObject = typeof own === "object" && own !== null && !Array.isArray(own);
          const expected = JSON.parse(JSON.stringify(isObject ? { ...own, ...more } : more));
          for (const each of texts) expect(JSON.parse(JSON.stringify(each))).toEqual(expected);
        },
      ),
    );
  });

  it("tells short members and kinds of members, and parses no long one (SAFE-4)", () => {
    const lists = `[${"[],".repeat(500)}[]]`;
    const one = scanned(`{"isError":true,"resultType":${lists},"o":{"a":${lists}},"s":"x","n":null}`);
    const read = (at: string) => [shortMember(one, at), isObjectMember(one, at)];
    expect(read("isError")).toEqual([true, false]);
    expect(read("resultType")).toEqual([undefined, false]);
    expect(read("o")).toEqual([undefined, true]);
    expect(read("s")).toEqual(["x", false]);
    expect(read("n")).toEqual([null, false]);
    expect(read("constructor")).toEqual([undefined, undefined]);
    expect([shortMember({ a: 1 }, "a"), shortMember({}, "toString"), isObjectMember({ a: {} }, "a")]).toEqual(
      [1, undefined, true],
    );
  });
});
