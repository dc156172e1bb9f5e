import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeSeparators } from "./open-stdio.js";

it("escapes both separators wherever they stand, and nothing else", () => {
  // Characters whose bytes begin like those of a separator, among others.
  const letters = fc.constantFrom(...'\u2028\u2029\u2027\u202a\u2068â€¨é😀a"\\ ', "\ue000", "\u3028");
  fc.assert(
    fc.property(fc.string({ unit: letters }), (text) => {
      expect(escapeSeparators(text).toString()).toBe(
        text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029"),
      );
    }),
  );
});

it("keeps the value of a JSON text", () => {
  const value = { "a\u2028": "\u2029 \\\u2028", b: ["\u2028\u2029"] };
  expect(JSON.parse(escapeSeparators(JSON.stringify(value)).toString())).toEqual(value);
});

it("copies no text without separators", () => {
  const text = '{"a":"é"}';
  expect(escapeSeparators(text)).toBe(text);
});
