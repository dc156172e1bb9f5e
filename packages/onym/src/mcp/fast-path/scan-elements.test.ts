import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../json.js";
import { scanElements } from "./scan-elements.js";

const scan = (text: string, outer = 0) => {
  const bytes = Buffer.from(`  ${text}  `);
  return [...scanElements(bytes, { start: 2, end: bytes.length - 2 }, outer)]
    .filter((each) => each !== undefined)
    .map(({ start, end, isDeep }) => ({ text: bytes.toString("utf8", start, end), isDeep }));
};
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("the elements of a JSON list", () => {
  it("are those that JSON.parse finds, whatever stands around them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 0, 1, 2),
        fc.constantFrom("", " ", "\n\t"),
        (list, indent, space) => {
          const text = JSON.stringify(list, undefined, indent).replaceAll(/^\[/g, `[${space}`);
          const found = scan(text);
          expect(found.map((each) => JSON.parse(each.text))).toEqual(JSON.parse(text));
          expect(found.every(({ isDeep }) => !isDeep)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are deep or not each for itself, the levels around them counted", () => {
    const texts = [MAX_DEPTH - 4, MAX_DEPTH - 3, MAX_DEPTH - 2, 50_000, 1].map(nested);
    expect(scan(`[${texts.join(" , ")}]`, 2)).toEqual(
      texts.map((text, index) => ({ text, isDeep: index === 2 || index === 3 })),
    );
  });

  it("say how many values they are, deep ones as well", () => {
    const texts = ["1", "[]", '{"a":[1,2],"b":{}}', nested(MAX_DEPTH + 1)];
    const bytes = Buffer.from(`[${texts.join()}]`);
    const found = [...scanElements(bytes, { start: 0, end: bytes.length }, 0)];
    expect(found.map((each) => each?.values)).toEqual([1, 1, 5, MAX_DEPTH + 1]);
  });

  it("are none where there is no list", () => {
    expect(scan("{}")).toEqual([]);
    expect(scan("[ ]")).toEqual([]);
  });
});
