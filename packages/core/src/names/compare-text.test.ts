import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldAscii } from "./ascii-fold.js";
import { compareText } from "./compare-text.js";

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

describe("compareText", () => {
  it("orders by code point, beyond U+FFFF too (NAME-3)", () => {
    expect(["\u{1F600}", "\uFFFD", "b", "a", "B", ""].sort(compareText)).toEqual([
      "",
      "B",
      "a",
      "b",
      "\uFFFD",
      "\u{1F600}",
    ]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        const [x, y] = [codePoints(a), codePoints(b)];
        const at = x.findIndex((point, index) => point !== y[index]);
        const expected =
          a === b ? 0 : at < 0 ? -1 : at >= y.length ? 1 : Math.sign((x[at] ?? 0) - (y[at] ?? 0));
        expect(Math.sign(compareText(a, b))).toBe(expected);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("foldAscii", () => {
  it("folds A to Z and nothing else (CANON-4)", () => {
    expect(foldAscii("GET_\u00C4_\u0130_\u212A_\u00DF")).toBe("get_\u00C4_\u0130_\u212A_\u00DF");
  });
});
