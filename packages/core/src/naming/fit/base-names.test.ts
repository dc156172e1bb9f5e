import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { runSteps } from "../../names/steps.js";
import { findProfile } from "../../profiles/find-profile.js";
import { type CompiledRules, compileRules } from "../../profiles/fit/compile-rules.js";
import type { NameRules, Profile } from "../../profiles/profile.js";
import { buildNamingTable } from "../build-naming-table.js";
import { WISH, wishName } from "../wish/wish-name.js";
import { type Base, baseSteps, type Change, changeSteps, isSubset } from "./base-names.js";
import { fitName } from "./fit-name.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALPHABET = `${LETTERS}0123456789_-`;
const WIDE = Number.POSITIVE_INFINITY;
const RULES: NameRules = {
  shape: "ascii",
  alphabet: ALPHABET,
  first: "",
  forbidden: [],
  minLength: 1,
  maxLength: WIDE,
};

/** A table with names of any length, and what other rules make of them. */
function base(...tools: readonly string[]): Base {
  const openai = findProfile("openai") as Profile;
  const profile = {
    ...openai,
    id: "boundless-64",
    rules: RULES,
    client: { ...openai.client, sentMaxLength: WIDE },
  };
  const table = buildNamingTable(buildCatalog([{ server: "docs", tools }]), profile);
  return runSteps(baseSteps(table, ALPHABET));
}

const changeOf = (...input: Parameters<typeof changeSteps>): Change | undefined =>
  runSteps(changeSteps(...input));
const within = (maxLength: number, rules: Partial<NameRules> = {}): CompiledRules =>
  compileRules({ ...RULES, ...rules, maxLength });
const told = (change: Change | undefined): readonly string[] | undefined =>
  change?.names.map(({ name }) => name);

/** Names that differ from those of the base when each tool is fitted by itself, longest first. */
function fittedAlone({ table, byLength }: Base, compiled: CompiledRules): readonly string[] {
  return byLength.flatMap((at) => {
    const { tool, name: before } = table.tools[at] as Base["table"]["tools"][number];
    const { name } = fitName({ name: wishName(tool, "flat"), tool, why: WISH }, "flat", compiled);
    return name === before ? [] : [name];
  });
}

const long = "list_all_users_of_the_whole_wide_world";
const longer = `${long}_and_of_others`;

describe("what rules make of names that are there already (NAME-4)", () => {
  const kinds: readonly Partial<NameRules>[] = [
    {},
    { first: LETTERS },
    { minLength: 3 },
    { minLength: 6 },
    { minLength: 7 },
    { minLength: 20 },
    { forbidden: ["__"] },
    { forbidden: ["list"] },
    { alphabet: ALPHABET.replace("-", "") },
    { alphabet: `${ALPHABET}.` },
    { alphabet: ALPHABET.toLowerCase(), first: LETTERS.toLowerCase() },
  ];

  it.each([
    [["find", long, longer]],
    [["find", long, longer, "read__it", "9"]],
    [["find.it", "readIt", `${long}.x`]],
    [[`docs_${long}`, "docs_read"]],
    [[`a${"-".repeat(40)}`, `abcdef${"_".repeat(40)}`]],
    [[`read${"_".repeat(30)}`, `9${"-".repeat(40)}`]],
  ])("is what they make of each tool by itself, in whatever order they are asked: %j", (tools) => {
    const orders = [
      [40, 31, 30, 24, 20, 16, 12],
      [12, 16, 20, 24, 30, 31, 40],
    ];
    for (const order of orders) {
      for (const first of kinds) {
        const shared = base(...tools);
        for (const maxLength of order) {
          for (const kind of [first, ...kinds]) {
            const change = changeOf(shared, within(maxLength, kind));
            expect(told(change)).toEqual(fittedAlone(shared, within(maxLength, kind)));
          }
        }
      }
    }
  });

  it("is nothing where all names keep the rules", () => {
    const shared = base("find", "list_all");
    for (const kind of [{}, { first: LETTERS }, { minLength: 9 }, { forbidden: ["__"] }])
      expect(told(changeOf(shared, within(13, kind)))).toEqual([]);
    expect(told(changeOf(shared, within(12)))).toHaveLength(1);
  });

  it("is not told where a number is involved, or a name would meet another", () => {
    expect(changeOf(base("a.b", "a_b", long), within(30))).toBeUndefined();
    expect(told(changeOf(base("a.b", "a_b", long), within(60)))).toEqual([]);
    // Without what repeats the owner, this is the other one's name.
    const meeting = base("docs_find_all_of_it", "find_all_of_it");
    expect(changeOf(meeting, within(22))).toBeUndefined();
    expect(changeOf(meeting, within(22, { minLength: 2 }))).toBeUndefined();
    expect(told(changeOf(meeting, within(24)))).toEqual([]);
  });

  it("is not told where a name meets one that another tool was ever given", () => {
    const shared = base("a__b", "a-b");
    expect(told(changeOf(shared, within(WIDE, { forbidden: ["__"] })))).toEqual(["docs_a_b"]);
    expect(told(changeOf(shared, within(WIDE, { forbidden: ["__"], minLength: 2 })))).toEqual(["docs_a_b"]);
    expect(changeOf(shared, within(WIDE, { alphabet: ALPHABET.replace("-", "") }))).toBeUndefined();
  });

  it("is one thing in memory for rules with one limit, and for a little more room", () => {
    const shared = base(long, longer);
    const change = changeOf(shared, within(31));
    expect(told(change)).toHaveLength(2);
    expect(changeOf(shared, within(31))).toBe(change);
    expect(changeOf(shared, within(31, { first: LETTERS }))).toBe(change);
    expect(changeOf(shared, within(31, { forbidden: ["__"] }))).toBe(change);
    expect(changeOf(shared, within(30))).toBe(change);
    const shortest = Math.min(...(told(change) ?? []).map(({ length }) => length)) - "_12345678".length;
    expect(changeOf(shared, within(30, { minLength: shortest }))).toBe(change);
    expect(changeOf(shared, within(30, { minLength: shortest + 1 }))).not.toBe(change);
    // Fewer words are left, or fewer names are too long.
    expect(changeOf(shared, within(20))).not.toBe(change);
    expect(told(changeOf(shared, within(`docs_${long}`.length)))).toHaveLength(1);
  });

  it("has the same name in memory wherever the same words are left", () => {
    const shared = base("find", long, "9");
    const [cut] = changeOf(shared, within(31))?.names ?? [];
    const others = [within(30), within(30, { first: LETTERS }), within(30, { alphabet: `${ALPHABET}.` })];
    for (const compiled of others) expect(changeOf(shared, compiled)?.names[0]).toBe(cut);
  });
});

it.each([
  ["", "", true],
  ["", "ab", true],
  ["ba", "abc", true],
  ["abd", "abc", false],
  ["a", "", false],
])("the characters of %j are among those of %j: %j", (part, whole, expected) => {
  expect(isSubset(part, whole)).toBe(expected);
});
