import { expect, it } from "vitest";
import { fitColumns } from "./fit-columns.js";

const ROWS = [
  ["abcdefgh", "ijklmnop"],
  ["a", "b"],
];

it("leaves a table alone that fits, or whose screen is not known", () => {
  expect(fitColumns(ROWS, undefined, [{ column: 1, least: 2 }])).toBe(ROWS);
  expect(fitColumns(ROWS, 18, [{ column: 1, least: 2 }])).toBe(ROWS);
});

it("shortens columns in the order given, down to their least", () => {
  const fitted = fitColumns(ROWS, 12, [
    { column: 1, least: 5 },
    { column: 0, least: 3 },
  ]);
  expect(fitted).toEqual([
    ["abc…h", "ijk…p"],
    ["a", "b"],
  ]);
});
