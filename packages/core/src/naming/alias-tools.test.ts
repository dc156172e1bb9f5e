import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OnymError } from "../names/onym-error.js";
import { profileOf } from "../profiles/find-profile.js";
import { matchesProfile } from "../profiles/sent/sent-name.js";
import { aliasTools } from "./alias-tools.js";

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe("tools that conform (RULE-3)", () => {
  it("stay what they are, in the order given, without a word", () => {
    const given = named("getUser", "DATA_EXPORT_v2", "admin.tools.list", "use_tool", "__proto__");
    const { tools, find, problems } = aliasTools(given);
    expect(tools.every((tool, index) => tool === given[index])).toBe(true);
    expect(tools).toHaveLength(5);
    expect(problems).toEqual([]);
    expect(find("use_tool")).toEqual({ given: given[3], name: "use_tool" });
    expect(find("constructor")).toBeUndefined();
  });

  it("keep their names from those that would like to have them", () => {
    const { tools } = aliasTools(named("get leads", "get_leads", "get,leads"));
    expect(namesOf(tools)).toEqual(["get_leads_2", "get_leads", "get_leads_3"]);
  });
});

describe("tools that do not conform (RULE-3, S002-12, S002-14, S002-15)", () => {
  it("get a name that does, with all they are, and the old one goes on working with a warning", () => {
    const tool = { name: "get leads", description: "Gets leads", run: () => 5 };
    const { tools, find, problems } = aliasTools([tool]);
    expect(tools).toEqual([{ ...tool, name: "get_leads" }]);
    expect(tool.name).toBe("get leads");
    expect(find("get_leads")).toEqual({ given: tool, name: "get_leads" });
    expect(find("get leads")).toEqual({
      given: tool,
      name: "get_leads",
      warning: '"get leads" is deprecated; call "get_leads".',
    });
    expect(problems).toMatchObject([{ code: "spaces", severity: "warning", fix: 'Use "get_leads".' }]);
  });

  it("are refused when asked to be strict: left out, with an error, and nobody else is", () => {
    const { tools, find, problems } = aliasTools(named("get leads", "find"), { strict: true });
    expect(namesOf(tools)).toEqual(["find"]);
    expect(find("get leads")).toBeUndefined();
    expect(problems).toMatchObject([{ code: "spaces", severity: "error" }]);
  });

  it("are those of another profile where one is named", () => {
    const { tools, find } = aliasTools(named("fs.list", "fs_list"), { profile: "anthropic" });
    expect(namesOf(tools)).toEqual(["fs_list_2", "fs_list"]);
    expect(find("fs.list")).toMatchObject({ name: "fs_list_2", warning: expect.any(String) });
    expect(() => aliasTools([], { profile: "nobody" })).toThrow(OnymError);
  });

  it("are told of where they are no tools, or come twice", () => {
    const given = [{ name: "a" }, { name: "a", title: "b" }, {}, null] as { name: string }[];
    const { tools, problems } = aliasTools(given);
    expect(tools).toHaveLength(1);
    const [same] = named("a");
    expect(aliasTools([same, same] as { name: string }[]).tools).toEqual([same]);
    expect(problems.map(({ code }) => code).toSorted()).toEqual(["bad-tool", "bad-tool", "duplicate-tool"]);
  });
});

it("every name leads to its own tool, old and new, and every new one conforms (RULE-3)", () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 140 }),
    fc.string({ unit: fc.constantFrom("a", "_", "-", ".", " ", ",", "2", "é"), maxLength: 6 }),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 12 }),
      fc.constantFrom("mcp", "openai"),
      (names, profile) => {
        const given = named(...names);
        const { tools, find } = aliasTools(given, { profile });
        expect(new Set(namesOf(tools)).size).toBe(names.length);
        for (const [index, tool] of tools.entries()) {
          expect(matchesProfile(tool.name, profileOf(profile), "onym")).toBe(true);
          expect(find(tool.name)?.given).toBe(given[index]);
          expect(find(names[index] ?? "")?.given).toBe(given[index]);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

describe("old names with a window (LOCK-2)", () => {
  const given = [{ name: "get leads" }, { name: "user_get" }];
  const renamed = [{ from: "user.get", to: "user_get" }];

  it("are answered with a warning that says when they end, those that were renamed by hand too", () => {
    const { find } = aliasTools(given, { renamed, window: { state: "open", ends: "after 2027-01-31" } });
    expect(find("get leads")).toEqual({
      given: given[0],
      name: "get_leads",
      warning: '"get leads" is deprecated and is refused after 2027-01-31; call "get_leads".',
    });
    expect(find("user.get")).toMatchObject({ given: given[1], name: "user_get" });
    expect(find("user_get")).toEqual({ given: given[1], name: "user_get" });
  });

  it("are refused when it has ended, with the name to call", () => {
    const { find, tools } = aliasTools(given, {
      renamed,
      window: { state: "ended", ends: "after 2027-01-31" },
    });
    expect(find("user.get")).toMatchObject({
      isRefused: true,
      warning: '"user.get" is no longer answered; call "user_get".',
    });
    expect(find("user_get")?.isRefused).toBeUndefined();
    expect(tools.map(({ name }) => name)).toEqual(["get_leads", "user_get"]);
  });

  it("never take the name that a tool has, and lead nowhere where there is no such tool", () => {
    const { find } = aliasTools(given, {
      renamed: [
        { from: "user_get", to: "get leads" },
        { from: "a", to: "nobody" },
      ],
    });
    expect(find("user_get")).toEqual({ given: given[1], name: "user_get" });
    expect(find("a")).toBeUndefined();
  });
});
