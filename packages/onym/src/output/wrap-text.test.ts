import { describe, expect, it } from "vitest";
import { fitLine, wrapText } from "./wrap-text.js";

describe("wrapText", () => {
  it.each([
    ["one two three", { columns: 9, indent: "  " }, ["  one two", "  three"]],
    ["one two three", { columns: undefined, indent: "  " }, ["  one two three"]],
    ["one two", { columns: 7 }, ["one two"]],
    ["a muchtoolongword b", { columns: 6 }, ["a", "muchtoolongword", "b"]],
    ["検索 検索", { columns: 5 }, ["検索", "検索"]],
    ["", { columns: 5 }, [""]],
  ])("%j in %j", (text, options, expected) => {
    expect(wrapText(text, options)).toEqual(expected);
  });
});

it("clips a name only where the width is known", () => {
  expect(fitLine("abcdefgh", undefined)).toBe("abcdefgh");
  expect(fitLine("abcdefgh", 5)).toBe("abc…h");
});
