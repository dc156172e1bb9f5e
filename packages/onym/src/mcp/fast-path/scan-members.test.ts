import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, parseJson } from "../json.js";
import type { Members } from "./scan.js";
import { scanMembers } from "./scan-members.js";

const scan = (text: string | Buffer, ...inside: readonly string[]): Members | undefined =>
  scanMembers(Buffer.from(text as string), new Set(inside));

/** The members as their bytes say. */
function valuesOf(text: string, members: Members): unknown {
  const bytes = Buffer.from(text);
  return Object.fromEntries(
    [...members].map(([key, { start, end }]) => [key, JSON.parse(bytes.toString("utf8", start, end))]),
  );
}

/** What is taken is JSON, and its members are where they are said to be; what is not taken has a reason. */
function isHonest(text: string): boolean {
  const members = scan(text);
  const parsed = parseJson(text);
  if (members !== undefined)
    return parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(valuesOf(text, members));
  // It is no object, or a key could be read in two ways.
  return !parsed.ok || !/^\s*\{/.test(text) || /"(.?)".*"\1"|\\/s.test(text);
}

/** A text for the value with white space wherever JSON allows it. */
function spread(value: unknown, space: () => string): string {
  if (Array.isArray(value))
    return `[${space()}${value.map((each) => spread(each, space)).join(`${space()},${space()}`)}${space()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, each]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${spread(each, space)}${space()}`,
  );
  return `{${members.join(",")}${space()}}`;
}

describe("the members of a JSON text", () => {
  it("are where their values are, whatever stands around them", () => {
    const gaps = fc.infiniteStream(fc.constantFrom("", "", " ", "\n\t", "\r\n  "));
    const key = fc.oneof(
      fc.string().map((each) => each.replaceAll(/["\\\p{C}]/gu, "")),
      fc.constant("__proto__"),
    );
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), gaps, (object, stream) => {
        const space = () => stream.next().value as string;
        const value = JSON.parse(JSON.stringify(object)) as unknown;
        const text = `${space()}${spread(value, space)}${space()}`;
        const members = scan(text);
        expect(members && valuesOf(text, members)).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are told of those that are looked into, too", () => {
    const text = '{"id":1,"result":{"isError":true,"content":[ {} ]},"params":[{}]}';
    const result = scan(text, "result", "params")?.get("result");
    expect(text.slice(result?.start, result?.end)).toBe('{"isError":true,"content":[ {} ]}');
    const content = result?.members?.get("content");
    expect(text.slice(content?.start, content?.end)).toBe("[ {} ]");
    expect(scan(text, "result", "params")?.get("params")?.members).toBeUndefined();
    expect(scan(text)?.get("result")?.members).toBeUndefined();
  });

  it("are told of what JSON.parse takes and of nothing else, in every short text of the bytes that matter", () => {
    const alphabet = ["{", "}", "[", "]", '"', ":", ",", "a", "\\", " ", "1"];
    const all = (length: number, text: string): void => {
      if (!isHonest(text) || !isHonest(`{"":${text}}`)) expect.fail(text);
      if (length > 0) for (const each of alphabet) all(length - 1, text + each);
    };
    all(4, "");
  });

  it.each([
    ["numbers", ["-", "0", "1", "9", ".", "e", "E", "+"], 5],
    ["escapes", ["\\", '"', "u", "0", "F", "g", "n"], 5],
    ["words", ["true", "false", "null", "nul", "t", "N", " "], 3],
  ])(
    "hold %s as JSON.parse takes them",
    (_what, alphabet, length) => {
      const all = (left: number, text: string): void => {
        if (!isHonest(`{"a":${text}}`) || !isHonest(`{"a":["${text}",{"b":${text}}]}`)) expect.fail(text);
        if (left > 0) for (const each of alphabet) all(left - 1, text + each);
      };
      all(length, "");
    },
    60_000,
  );

  it("are refused or told rightly after any byte is changed, put in or taken out", () => {
    const nasty = fc.constantFrom(
      ...'{}[]",:\\/bfnrtu0123456789+-.eEaA \n\t\r\u0000\u001f\u007f\u0080\u2028é😀',
    );
    const object = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.nat(), nasty, fc.constantFrom(0, 1), (value, place, put, taken) => {
        const text = JSON.stringify(value);
        const at = place % text.length;
        const isBroken = (changed: string) =>
          Buffer.from(changed).toString() === changed && !isHonest(changed);
        expect(isBroken(text.slice(0, at) + put + text.slice(at + taken))).toBe(false);
        expect(isBroken(text.slice(0, at) + text.slice(at + 1))).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it("hold strings with anything at any place of them", () => {
    const others = [
      '\\"',
      "\\\\",
      "\\u00e9",
      "é",
      "\u2028",
      "😀",
      "\u007f",
      '"',
      "\\",
      "\n",
      "\u0000",
      "\u001f",
      "\\x",
      "\\u12g4",
    ];
    for (const other of others)
      for (let before = 0; before < 12; before += 1)
        for (let behind = 0; behind < 12; behind += 1) {
          const text = `{"b":"${"x".repeat(before)}${other}${"é".repeat(behind)}"}`;
          if ((scan(text) !== undefined) !== parseJson(text).ok) expect.fail(JSON.stringify(text));
        }
  });

  it("are not told of what is nested beyond reason (SAFE-1)", () => {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(scan(nested(MAX_DEPTH))).toBeDefined();
    expect(scan(nested(MAX_DEPTH + 1))).toBeUndefined();
    expect(scan(nested(1_000_000))).toBeUndefined();
    const inside = (levels: number): string => `{"result":${nested(levels - 1)}}`;
    expect(scan(inside(MAX_DEPTH), "result")).toBeDefined();
    expect(scan(inside(MAX_DEPTH + 1), "result")).toBeUndefined();
  });

  it.each([
    ["one below", 99, true],
    ["at", 100, true],
    ["one above", 101, false],
  ])("are so many at most, also inside: %s (limits: MAX_MEMBERS of scan) (SAFE-4)", (_, count, isTold) => {
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_member, n) => [`k${n}`, n])),
    );
    for (const text of [many, `{"result":${many}}`]) expect(scan(text, "result") !== undefined).toBe(isTold);
    // Nobody asks for those of other members.
    expect(scan(`{"other":${many}}`, "result")).toBeDefined();
  });

  it.each([
    ["it is no object", "[1]"],
    ["it is empty", ""],
    ["something follows", '{"a":1} {}'],
    ["a key is there twice", '{"a":1,"a":2}'],
    ["a key is written with escapes", '{"\\u0061":1}'],
    ["a key inside is there twice", '{"a":{"b":1,"b":2}}'],
    ["it begins with a byte order mark", '\ufeff{"a":1}'],
  ])("are not told where %s", (_why, text) => {
    expect(scan(text, "a")).toBeUndefined();
  });

  it("are not told of bytes that are no UTF-8", () => {
    const text = Buffer.from('{"a":"?"}');
    for (const byte of [0x80, 0xc0, 0xff, 0xed]) {
      text[6] = byte;
      expect(scanMembers(text, new Set())).toBeUndefined();
    }
  });
});
