import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";

/** The same value with the keys of every object in the opposite order. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reverseKeys(inner)]));
}

describe("canonical JSON", () => {
  it.each([
    [null, "null"],
    [true, "true"],
    [-0, "0"],
    [1e21, "1e+21"],
    ['a"\n', '"a\\"\\n"'],
    [[], "[]"],
    [{}, "{}"],
    [[[], {}, [1, "a"]], '[[],{},[1,"a"]]'],
    [{ b: { d: 1, c: [2] }, a: "" }, '{"a":"","b":{"c":[2],"d":1}}'],
    [{ 10: 0, 9: 0, "": 0 }, '{"":0,"10":0,"9":0}'],
    [{ a: undefined, b: () => 1 }, "{}"],
    [[undefined, Number.NaN], "[null,null]"],
    [undefined, "null"],
    [{ n: 10n }, '{"n":10}'],
    [{ s: Symbol("s"), t: [Symbol("t")] }, '{"t":[null]}'],
  ])("writes %o as %s, at the top and far down (POL-2)", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
    for (const levels of [63, 64, 65, 200]) {
      let nested: unknown = value;
      for (let level = 0; level < levels; level += 1) nested = [nested];
      expect(canonicalJson(nested)).toBe(`${"[".repeat(levels)}${text}${"]".repeat(levels)}`);
    }
  });

  it("orders keys by code point, also beyond U+FFFF and among lone surrogates (POL-2)", () => {
    const ordered = [
      "a",
      "a\0",
      "ab",
      "\ud7ff",
      "\ud83d",
      "\ud83d\ue000",
      "\udc00",
      "\ue000",
      "\uffff",
      "\u{1f600}",
      "\u{1f600}\udc00",
      "\u{1f601}",
      "\u{10ffff}",
    ];
    const value = Object.fromEntries([...ordered].reverse().map((key) => [key, 0]));
    expect(Object.keys(JSON.parse(canonicalJson(value)))).toEqual(ordered);
    // A wrong order of two may be hidden by the others.
    for (const [index, later] of ordered.entries()) {
      for (const earlier of ordered.slice(0, index)) {
        const text = `{${JSON.stringify(earlier)}:0,${JSON.stringify(later)}:0}`;
        expect(canonicalJson({ [later]: 0, [earlier]: 0 })).toBe(text);
        expect(canonicalJson({ [earlier]: 0, [later]: 0 })).toBe(text);
      }
    }
  });

  it("counts keys named like parts of a prototype (SAFE-1)", () => {
    const text = '{"__proto__":{"x":1},"constructor":2,"toString":3}';
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });

  it("calls no toJSON (SAFE-3)", () => {
    expect(canonicalJson({ a: 1, toJSON: () => "other" })).toBe('{"a":1}');
    expect(canonicalJson({ toJSON: "data" })).toBe('{"toJSON":"data"}');
  });

  it("reaches through a hundred thousand levels (POL-2)", () => {
    let value: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) value = [{ a: value }];
    expect(canonicalJson(value)).toBe(`${'[{"a":'.repeat(50_000)}1${"}]".repeat(50_000)}`);
  });

  it("writes a value that is shared, and refuses one that contains itself (POL-2)", () => {
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
    const cyclic: unknown[] = [];
    cyclic.push({ cyclic });
    expect(() => canonicalJson(cyclic)).toThrow(
      new TypeError("A value that contains itself has no canonical JSON."),
    );
    let nested: unknown = [shared, shared];
    for (let level = 0; level < 64; level += 1) nested = [nested];
    expect(canonicalJson(nested)).toContain('[{"a":1},{"a":1}]');
  });

  it("is JSON of the same value, whatever the order of keys (POL-2)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reverseKeys(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });
});
