import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { compileRules } from "../../profiles/fit/compile-rules.js";
import type { NameRules } from "../../profiles/profile.js";
import type { NamedTool } from "../assign/assign-names.js";
import type { NamingStyle } from "../wish/style.js";
import { WISH, wishName } from "../wish/wish-name.js";
import { fitName, fittingOf, nameWithin } from "./fit-name.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const RULES: NameRules = {
  shape: "ascii",
  alphabet: `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_-`,
  first: "",
  forbidden: [],
  minLength: 1,
  maxLength: 64,
};
const SNAKE: Partial<NameRules> = { shape: "snake", alphabet: `${LETTERS}${DIGITS}_`, forbidden: ["__"] };
const CAMEL: Partial<NameRules> = { shape: "camel", alphabet: `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}` };

function toolOf(source: ToolSource): Tool {
  return buildCatalog([source]).tools[0] as Tool;
}

function fit(source: ToolSource, style: NamingStyle, rules: Partial<NameRules> = {}): NamedTool {
  const tool = toolOf(source);
  const wish = { name: wishName(tool, style), tool, why: WISH };
  return fitName(wish, style, compileRules({ ...RULES, ...rules }));
}

/** A name with `#` for its digest, and why it is that. */
function told({ name, why }: NamedTool): readonly [string, string] {
  return [why.kind === "cut" ? name.replace(/[a-z2-7]{8}$/, "#") : name, why.kind];
}

const github = (tool: string): ToolSource => ({ server: "github", tools: [tool] });
const boxed = (server: string, tool: string): ToolSource => ({ toolbox: "dev", server, tools: [tool] });

describe("a name under the rules of a profile (NAME-2)", () => {
  it("is the wish itself where that is legal", () => {
    const tool = toolOf(github("search"));
    const wish = { name: "github_search", tool, why: WISH };
    expect(fitName(wish, "flat", compileRules(RULES))).toBe(wish);
  });

  it.each<[string, ToolSource, NamingStyle, Partial<NameRules>, string, string]>([
    ["of other characters", github("a b"), "flat", {}, "github_a_b", "fitted"],
    [
      "of other characters, as long as may be",
      github("a b"),
      "flat",
      { maxLength: 10 },
      "github_a_b",
      "fitted",
    ],
    ["that had to start otherwise", github("9"), "bare", { first: LETTERS }, "t_9", "fitted"],
    ["in camelCase, also where each character may stand", github("GetIt"), "bare", CAMEL, "getIt", "fitted"],
    ["in camelCase as it was wished for", github("getIt"), "bare", CAMEL, "getIt", "wish"],
    [
      "in parts",
      boxed("fs", "readIt"),
      "toolbox",
      { ...SNAKE, partSeparator: "__" },
      "dev__fs__read_it",
      "fitted",
    ],
    [
      "of which a part is left empty",
      boxed("fs", "!"),
      "toolbox",
      { ...SNAKE, partSeparator: "__" },
      "dev_fs",
      "fitted",
    ],
    [
      "outside toolboxes",
      github("readIt"),
      "toolbox",
      { ...SNAKE, partSeparator: "__" },
      "github_read_it",
      "fitted",
    ],
  ])("%s", (_, source, style, rules, name, why) => {
    expect(told(fit(source, style, rules))).toEqual([name, why]);
  });
});

describe("a name that is too long (NAME-2)", () => {
  it.each<[string, ToolSource, NamingStyle, number, string]>([
    ["the integration", github("GitHub-create_issue"), "flat", 19, "GitHub-create_issue"],
    [
      "the server's id",
      { server: "gh-tools", integration: "x", tools: ["ghtools.list"] },
      "dotted",
      12,
      "ghtools_list",
    ],
    [
      "the alias",
      { server: "salesforce", alias: "sf", tools: ["sf_create_lead"] },
      "flat",
      14,
      "sf_create_lead",
    ],
    ["the server, and keeps the toolbox", boxed("github", "github_list"), "toolbox", 16, "dev__github_list"],
    ["the server, and keeps `mcp`", github("github_list"), "prefixed", 16, "mcp__github_list"],
  ])("loses what its own words repeat: %s", (_, source, style, maxLength, name) => {
    expect(told(fit(source, style, { maxLength }))).toEqual([name, "unrepeated"]);
    expect(told(fit(source, style, { maxLength: maxLength - 1 }))[1]).toBe("cut");
  });

  const cloud = (tool: string): ToolSource => ({ server: "acme-cloud-storage-service", tools: [tool] });
  const acme = (tool: string): ToolSource => ({ server: "acme", tools: [tool] });

  it.each<[string, ToolSource, NamingStyle, number, string]>([
    ["own words before the owner's", cloud("list_users"), "flat", 20, "list_users_#"],
    ["the owner's as far as whole ones fit", cloud("list_users"), "flat", 23, "list_users_#"],
    ["the first of the owner's", cloud("list_users"), "flat", 24, "acme_list_users_#"],
    ["one less than two of the owner's take", cloud("list_users"), "flat", 29, "acme_list_users_#"],
    ["two of the owner's", cloud("list_users"), "flat", 30, "acme-cloud_list_users_#"],
    ["no owner where own words were cut", cloud("list_abcdefghijklmnopqrst"), "flat", 24, "list_#"],
    ["half a word where not even one fits", acme("incomprehensibilities"), "flat", 18, "incompreh_#"],
    ["own words before the suite's", acme("long_suite_name.list_all"), "flat", 19, "list_all_#"],
    ["the owner before its suite", acme("long_suite_name.list_all"), "flat", 28, "acme_long_list_all_#"],
    ["all words where a suite has no tool", acme("list_all_users_of_mine."), "flat", 21, "list_all_#"],
    ["the owner once", acme("acme_cloud_storage.list_all"), "flat", 26, "acme_list_all_#"],
    [
      "the owner once, with its suite",
      acme("acme_cloud_storage_service.list_all"),
      "flat",
      34,
      "acme_cloud_list_all_#",
    ],
    ["no more than own words of the owner's", acme("acme_list_all_users"), "flat", 18, "list_all_#"],
    ["its start where no owner is shown", acme("acme_list_all_users"), "bare", 18, "acme_list_#"],
    ["its start where nothing is a suite", acme("list_all/users_of_mine"), "dotted", 20, "list_all_#"],
    ["its version in canonical names", cloud("list_all_my_users"), "canonical", 28, "list_all_my_users_1_#"],
  ])("keeps %s", (_, source, style, maxLength, name) => {
    const fitted = fit(source, style, { maxLength });
    expect(told(fitted)).toEqual([name, "cut"]);
    expect(fitted.why).toEqual({ kind: "cut", wish: wishName(toolOf(source), style) });
    expect(fitted.name.length).toBeLessThanOrEqual(maxLength);
  });

  it.each<[string, Partial<NameRules>, string, string]>([
    [
      "gets a start, and loses its end for it",
      { first: LETTERS, maxLength: 16 },
      "12345678_9012345",
      "t_12345_#",
    ],
    ["grows to the least length", { minLength: 6, maxLength: 20 }, "-".repeat(21), "t_tool_#"],
    ["of separators is just a tool", { maxLength: 20 }, "-".repeat(21), "tool_#"],
    [
      "has the digest behind what separates",
      { alphabet: `${LETTERS}-`, maxLength: 13 },
      "read-all-of-it",
      "read-#",
    ],
    [
      "has the digest at once where nothing separates",
      { ...CAMEL, maxLength: 14 },
      "a_b_c_def_ghijklmnop",
      "aBCDef#",
    ],
  ])("%s", (_, rules, raw, name) => {
    expect(told(fit(github(raw), "bare", rules))).toEqual([name, "cut"]);
  });
});

describe("what was fitted once (NAME-4)", () => {
  const tools: readonly (readonly [ToolSource, NamingStyle])[] = [
    [{ server: "acme-cloud-storage-service", tools: ["list_all_users_of_mine"] }, "flat"],
    [{ server: "acme_cloud", tools: ["acme_cloud_list_all_users_of_the_whole_world"] }, "flat"],
    [{ server: "acme", tools: ["cloud_storage_of_ours.list_all_users__"] }, "flat"],
    [{ server: "9acme", tools: ["9-list_users_of_mine_and_yours"] }, "flat"],
    [{ server: "acme", tools: ["-list_all_users_of_mine_and_yours"] }, "dotted"],
    [{ server: "a", tools: [`${"_".repeat(20)}x${"-".repeat(20)}`] }, "flat"],
    [{ server: "acme", tools: ["incomprehensibilities_and_other_long_words"] }, "bare"],
  ];
  const kinds: readonly Partial<NameRules>[] = [
    {},
    { first: LETTERS },
    { forbidden: ["_-"] },
    { minLength: 20 },
    { alphabet: RULES.alphabet.replace("_", "") },
  ];
  const lengths = [...Array(52).keys()].map((at) => at + 12);

  it("is cut to every length and start as if it were fitted anew", () => {
    for (const [source, style] of tools) {
      const tool = toolOf(source);
      for (const before of kinds) {
        for (const after of kinds) {
          for (const order of [lengths, lengths.toReversed()]) {
            const fitting = fittingOf(tool, style, compileRules(RULES));
            for (const maxLength of order) {
              for (const kind of [before, after]) {
                const compiled = compileRules({ ...RULES, ...kind, maxLength });
                const anew = nameWithin(fittingOf(tool, style, compileRules(RULES)), compiled);
                expect(nameWithin(fitting, compiled)).toEqual(anew);
              }
            }
          }
        }
      }
    }
  });

  it("is one text in memory wherever the same words are left", () => {
    const fitting = fittingOf(toolOf(github("list_pull_requests")), "flat", compileRules(RULES));
    const cut = (maxLength: number, rules: Partial<NameRules> = {}): NamedTool =>
      nameWithin(fitting, compileRules({ ...RULES, maxLength, ...rules }));
    const longest = cut(24);
    expect(longest.name).toMatch(/^list_pull_[a-z2-7]{8}$/);
    for (const maxLength of [24, 23, 18]) expect(cut(maxLength)).toBe(longest);
    expect(cut(20, { first: LETTERS, minLength: 0 })).toBe(longest);
    expect(cut(17).name).toMatch(/^list_[a-z2-7]{8}$/);
  });

  it("starts a cut bare name with its suite, not with a separator (NAME-2)", () => {
    const tool = "prism.telescope.microscope.go";
    expect(told(fit(github(tool), "bare", { maxLength: 20 }))).toEqual(["prism_go_#", "cut"]);
  });
});
