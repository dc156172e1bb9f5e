import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesGlob } from "../config/sections/tool-filters.js";
import { compileGlob } from "./match-tool.js";

it.each([
  ["send", "send", true],
  ["send", "Send", false],
  ["send", "send2", false],
  ["", "", true],
  ["*", "", true],
  ["*", "a/b@1", true],
  ["a*", "a", true],
  ["a*", "ba", false],
  ["*a*b*", "xaxbx", true],
  ["*a*b*", "xbxax", false],
  ["a*a", "a", false],
  ["ab*ba", "aba", false],
  ["a*b*b", "ab", false],
  ["a*b*b", "abb", true],
  ["a*bb*bb*c", "abbc", false],
  ["a*bb*bb*c", "abbbbc", true],
  ["a*c*b", "ab", false],
  ["a?*?b", "axyb", true],
  ["a?*?b", "axb", false],
  ["?*b*b", "xb", false],
  ["?", "\u{1F600}", true],
  ["??", "\u{1F600}", false],
  ["*?", "", false],
  ["a.b", "a_b", false],
  ["[ab]+", "a", false],
  ["a\\*", "a*", false],
  ["*\uDE00", "\u{1F600}", false],
])("%j on %j is %j, and never a regular expression (SAFE-1)", (glob, text, expected) => {
  expect(compileGlob(glob)(text)).toBe(expected);
});

it("agrees with the plain way of matching on every glob and text", () => {
  const part = fc.constantFrom("a", "b", "ab", "*", "?", "**", "_", "\u{1F600}", "\ud83d", "");
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (glob, given) => compileGlob(glob)(given) === matchesGlob(given, glob)),
    { numRuns: 20_000 },
  );
});
