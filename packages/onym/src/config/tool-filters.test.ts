import { describe, expect, it } from "vitest";
import { matchesGlob, passesFilters } from "./tool-filters.js";

describe("tool filters (GW-13)", () => {
  it.each([
    [undefined, true],
    [["*"], true],
    [["x", "*"], true],
    [[], false],
    [["read_file"], true],
    [["read_*"], true],
    [["READ_*"], false],
    [["write_*", "?ead_file"], true],
    [["read"], false],
  ])("%j lets read_file through: %s", (filters, expected) => {
    expect(passesFilters("read_file", filters)).toBe(expected);
  });

  it("takes a name with stars in it for itself too", () => {
    expect(passesFilters("a*b?", ["a*b?"])).toBe(true);
    expect(passesFilters("[abc]+", ["[abc]+"])).toBe(true);
    expect(passesFilters("a", ["[abc]+"])).toBe(false);
  });

  it("counts characters, not code units", () => {
    expect(matchesGlob("a😀b", "a?b")).toBe(true);
    expect(matchesGlob("", "*")).toBe(true);
    expect(matchesGlob("", "?")).toBe(false);
  });

  it("does not hang on a glob made to (SAFE-1)", () => {
    expect(matchesGlob("a".repeat(2_000), `${"*a".repeat(500)}*b`)).toBe(false);
  });
});
