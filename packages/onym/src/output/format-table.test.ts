import { describe, expect, it } from "vitest";
import { clipText, formatTable, textWidth } from "./format-table.js";
import { createPaint } from "./paint.js";

const plain = createPaint({ isTTY: false, env: {} });

describe("tables", () => {
  it("align columns by the places that texts take, and leave no blanks at the ends", () => {
    expect(
      formatTable(
        [
          ["a", "b", "c"],
          ["検索", "", ""],
          ["long", "x", ""],
        ],
        plain,
      ),
    ).toEqual(["a     b  c", "検索", "long  x"]);
  });

  it("count wide characters twice and combining marks not at all", () => {
    expect(["abc", "検索", "e\u0301", "😀"].map(textWidth)).toEqual([3, 4, 1, 2]);
  });

  it("clip the middle, never beyond the width", () => {
    expect(clipText("abcdefghij", 7)).toBe("abcd…ij");
    expect(clipText("abc", 3)).toBe("abc");
    expect(textWidth(clipText("検索検索検索検索", 7))).toBeLessThanOrEqual(7);
  });
});

describe("colour", () => {
  it.each([
    [{ isTTY: true, env: {} }, true],
    [{ isTTY: false, env: {} }, false],
    [{ isTTY: true, env: { NO_COLOR: "1" } }, false],
    [{ isTTY: true, env: { NO_COLOR: "" } }, true],
    [{ isTTY: false, env: { FORCE_COLOR: "1" } }, true],
    [{ isTTY: true, env: { FORCE_COLOR: "0" } }, false],
    [{ isTTY: true, env: { TERM: "dumb" } }, false],
  ])("%j: %s", (input, expected) => {
    expect(createPaint(input)("red", "x") !== "x").toBe(expected);
  });
});
