import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skeletonOf } from "./skeleton.js";

describe("skeletonOf (SAFE-2)", () => {
  it.each([
    ["plain text stays as it is", "search_leads", "search_leads"],
    ["the empty text", "", ""],
    ["Cyrillic е, а, с", "s\u0435\u0430r\u0441h", "search"],
    ["Greek ο and ν", "m\u03BF\u03BDe", "rnove"],
    ["full width", "ｓｅａｒｃｈ＿ｄｂ", "search_db"],
    ["mathematical letters", "𝐬𝐞𝐚𝐫𝐜𝐡𝟎", "searchO"],
    ["circled letters", "ⓢⓔⓐⓡⓒⓗ", "search"],
    ["m is drawn as r and n", "form", "forrn"],
    ["digits, I and | that look like letters", "0 1 I |", "O l l l"],
    ["a composed letter is decomposed", "caf\u00E9", "cafe\u0301"],
    ["zero-width characters vanish", "se\u200Bar\u2060ch\uFEFF", "search"],
    ["variation selectors and tags vanish", "search\uFE0F\u{E0041}", "search"],
    ["a ligature is drawn as its letters", "ﬁnd", "find"],
    ["dashes of other kinds", "get\u2010lead\u2212s", "get-lead-s"],
    ["what looks like no ASCII stays", "搜索 \u0416\u043B", "搜索 \u0416\u043B"],
  ])("%s", (_, text, skeleton) => {
    expect(skeletonOf(text)).toBe(skeleton);
  });

  it("is its own skeleton, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const skeleton = skeletonOf(text);
        expect(skeletonOf(skeleton)).toBe(skeleton);
      }),
      { numRuns: 3000 },
    );
  });

  it("is the same for the composed and the decomposed form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(skeletonOf(text.normalize("NFC"))).toBe(skeletonOf(text.normalize("NFD")));
      }),
      { numRuns: 3000 },
    );
  });
});
