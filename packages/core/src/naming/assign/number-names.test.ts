import { describe, expect, it } from "vitest";
import { compileRules } from "../../profiles/fit/compile-rules.js";
import type { NameRules } from "../../profiles/profile.js";
import { createNumbering } from "./assign-names.js";

const RULES: NameRules = {
  shape: "ascii",
  alphabet: "abcdefghijklmnopqrstuvwxyz0123456789_",
  first: "",
  forbidden: [],
  minLength: 1,
  maxLength: 64,
};

/** Names that tools with these wishes are given, where some texts are taken. */
function number(
  wishes: readonly string[],
  taken: readonly string[] = [],
  rules: Partial<NameRules> = {},
): readonly string[] {
  const gone = new Set(taken);
  const claim = (name: string): boolean => !gone.has(name) && gone.add(name) !== undefined;
  const numbered = createNumbering(compileRules({ ...RULES, ...rules }), claim);
  return wishes.map((wish, index) => numbered(wish, index));
}

describe("numbers of names that are taken (NAME-3)", () => {
  it("go on from 2 without a gap, over 9 and 99", () => {
    const names = number(Array.from({ length: 120 }, () => "a"));
    expect(names).toEqual(Array.from({ length: 120 }, (_, at) => `a_${at + 2}`));
  });

  it("leave out those that somebody has, 9 and 10 too", () => {
    expect(number(["a", "a", "a"], ["a_2", "a_4"])).toEqual(["a_3", "a_5", "a_6"]);
    const taken = Array.from({ length: 8 }, (_, at) => `a_${at + 2}`);
    expect(number(["a", "a"], taken)).toEqual(["a_10", "a_11"]);
    expect(number(["a"], [...taken, "a_10"])).toEqual(["a_11"]);
  });

  it("count for each stem by itself", () => {
    expect(number(["a", "b", "a", "b"])).toEqual(["a_2", "b_2", "a_3", "b_3"]);
  });

  it("take linear time for stems that a client cannot tell apart (SAFE-4)", () => {
    const [gone, fold] = [new Set<string>(), (name: string) => name.toLowerCase()];
    let claims = 0;
    const claim = (name: string): boolean => {
      claims += 1;
      return !gone.has(fold(name)) && gone.add(fold(name)) !== undefined;
    };
    const rules = { ...RULES, alphabet: `${RULES.alphabet}ABCDEFGHIJKLMNOPQRSTUVWXYZ` };
    const numbered = createNumbering(compileRules(rules), claim, fold);
    const twins = Array.from({ length: 512 }, (_, bits) =>
      [..."abcdefghi"].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join(""),
    );
    const names = twins.map((wish, index) => numbered(wish, index));
    expect(names.slice(0, 3)).toEqual(["abcdefghi_2", "Abcdefghi_3", "aBcdefghi_4"]);
    expect(claims).toBeLessThan(2 * twins.length);
  });

  it("cut the stem to make room for each digit, and never its middle", () => {
    expect(number(["abcdefgh"], [], { maxLength: 10 })).toEqual(["abcdefgh_2"]);
    expect(number(["abcdefghi"], [], { maxLength: 10 })).toEqual(["abcdefgh_2"]);
    const names = number(
      Array.from({ length: 10 }, () => "abcdefgh"),
      [],
      { maxLength: 10 },
    );
    expect(names.slice(7)).toEqual(["abcdefgh_9", "abcdefg_10", "abcdefg_11"]);
    expect(number(["abcd_efgh"], [], { maxLength: 7 })).toEqual(["abcd_2"]);
  });

  it("share the counter of a stem that longer wishes are cut to", () => {
    expect(number(["abcdefghx", "abcdefghy", "abcdefgh"], [], { maxLength: 10 })).toEqual([
      "abcdefgh_2",
      "abcdefgh_3",
      "abcdefgh_4",
    ]);
  });

  it("leave toolbox names their three parts, and take the separator out of what has lost one", () => {
    const rules = { partSeparator: "__" } as const;
    expect(number(["dev__fs__read"], [], rules)).toEqual(["dev__fs__read_2"]);
    expect(number(["dev__fs__read"], [], { ...rules, maxLength: 10 })).toEqual(["dev_fs_2"]);
    expect(number(["dev__fs__read"], [], { maxLength: 10 })).toEqual(["dev__fs_2"]);
  });

  it("stand behind the separator that the rules take, or behind none", () => {
    expect(number(["a"], [], { alphabet: "abc0123456789-" })).toEqual(["a-2"]);
    expect(number(["a"], [], { alphabet: "abc0123456789" })).toEqual(["a2"]);
  });
});
