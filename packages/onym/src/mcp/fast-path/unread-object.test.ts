import { canonicalJson } from "@onym/core/identity";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, ownValue } from "../json.js";
import { scanMembers } from "./scan-members.js";
import { createUnreadObject, unreadBytesOf } from "./unread-object.js";

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
