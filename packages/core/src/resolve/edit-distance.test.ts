import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance } from "./edit-distance.js";

/** The whole table, cell by cell. */
function plainDistance(a: string, b: string): number {
  const cells = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => cells[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(i - 2, j - 2) + 1);
      (cells[i] as number[])[j] = cost;
    }
  }
  return at(a.length, b.length);
}

describe("the distance of two texts", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["lead", "lead", 0],
    ["lead", "laed", 1],
    ["lead", "leads", 1],
    ["kitten", "sitting", 3],
    ["ab", "ba", 1],
    ["xab", "ba", 2],
    ["a".repeat(62), "a".repeat(62), 0],
    ["a".repeat(63), "b".repeat(63), 63],
    ["a".repeat(300), `b${"a".repeat(299)}`, 1],
  ])("from %j to %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it("is that of the whole table up to any bound, and one more than the bound beyond it", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 90, size: "max" });
    fc.assert(
      fc.property(text, text, fc.nat(12), (a, b, most) => {
        const plain = plainDistance(a, b);
        expect(editDistance(a, b)).toBe(plain);
        expect(editDistance(a, b, most)).toBe(Math.min(plain, most + 1));
      }),
    );
  });
});
