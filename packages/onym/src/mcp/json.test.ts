import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, memberText, parseJson } from "./json.js";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("parseJson", () => {
  it("says the same as JSON.parse of anything that is written by JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 0, maxLength: 3_000 }), (value, text) => {
        const json = JSON.stringify([value, text]);
        expect(parseJson(json)).toEqual({ ok: true, value: JSON.parse(json) });
      }),
    );
  });

  it("refuses what is nested beyond reason, and nothing else for its brackets: one below, at and one above (limits: MAX_DEPTH of json) (SAFE-1)", () => {
    // Texts of two characters for each level are not looked into.
    for (const space of ["", "   "]) {
      for (const levels of [MAX_DEPTH - 1, MAX_DEPTH])
        expect(parseJson(nested(levels) + space).ok).toBe(true);
      expect(parseJson(nested(MAX_DEPTH + 1) + space)).toMatchObject({ ok: false });
    }
    expect(parseJson(`{"a":${nested(50_000)}}`)).toMatchObject({ ok: false });
    expect(parseJson(JSON.stringify("[".repeat(10_000))).ok).toBe(true);
    expect(parseJson(JSON.stringify({ a: '\\"[['.repeat(5_000) })).ok).toBe(true);
    expect(parseJson(`[${"[],".repeat(5_000)}[]]`).ok).toBe(true);
  });

  it("gives back a reason for what is no JSON", () => {
    for (const text of ["", "{", '"', `"${"x".repeat(5_000)}`, "undefined", "\u0000"])
      expect(parseJson(text)).toMatchObject({ ok: false, reason: expect.any(String) });
  });
});

/** A text for the value with white space wherever JSON allows it. */
function spread(value: unknown, space: () => string): string {
  const gap = () => space();
  if (Array.isArray(value))
    return `[${gap()}${value.map((each) => spread(each, space)).join(`${gap()},${gap()}`)}${gap()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}${gap()}:${gap()}${spread(each, space)}`,
  );
  return `{${gap()}${members.join(`${gap()},${gap()}`)}${gap()}}`;
}

describe("the text of a member", () => {
  it("is that of the value, whatever stands before, in and behind it", () => {
    const gaps = fc.infiniteStream(fc.constantFrom("", "", " ", "\n\t", "\r\n  "));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), gaps, (before, args, behind, stream) => {
        const space = () => stream.next().value as string;
        const value = { id: before, params: { name: behind, arguments: args, _meta: before }, x: behind };
        const text = `${space()}${spread(value, space)}${space()}`;
        const found = memberText(text, ["params", "arguments"]);
        expect(JSON.parse(found ?? "nothing")).toEqual(JSON.parse(JSON.stringify(args)));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ['{"result":{"n":12345678901234567890,"x":1.0}}', '{"n":12345678901234567890,"x":1.0}'],
    ['{"id":1,"result" : [ 1 , {"a":"]}"} ] ,"z":2}', '[ 1 , {"a":"]}"} ]'],
    ['{"a":"\\\\","result":"\\"}\\""}', '"\\"}\\""'],
    ['{"a":{"result":1},"result":-1.5e3}', "-1.5e3"],
    ['{"result":null ,"b":1}', "null"],
    ['{"a":[],"b":{},"result":true}', "true"],
    ['{"__proto__":1,"result":{}}', "{}"],
  ])("in %s is %s", (text, expected) => {
    expect(memberText(text, ["result"])).toBe(expected);
  });

  it.each([
    ["there is none", '{"id":1}'],
    ["the key is there twice", '{"result":{"a":1},"result":{"a":2}}'],
    ["a key is written with escapes", '{"r\\u0065sult":1}'],
    ["another key is written with escapes", '{"\\u0061":1,"result":1}'],
    ["it is no object", "[1]"],
    ["it is empty", "{}"],
  ])("is not told where %s", (_why, text) => {
    expect(memberText(text, ["result"])).toBeUndefined();
  });

  it("is found in large texts, past a million brackets in strings", () => {
    const filler = "]}".repeat(500_000);
    const text = JSON.stringify({ filler, result: { filler } });
    expect(memberText(text, ["result"])).toBe(JSON.stringify({ filler }));
  });

  it("never throws, and never hangs, on what is no JSON", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[{}[\]",:\\a-b 0-9]*$/)),
        (text) => void memberText(text, ["a", "b"]),
      ),
      { numRuns: 5_000 },
    );
  });
});
