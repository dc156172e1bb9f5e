import { describe, expect, it } from "vitest";
import { findMentions, isPlainWord, replaceMentions, type TextKind } from "./find-mentions.js";

const NAMES = new Map([
  ["user.get", "user_get"],
  ["fs/list", "fs_list"],
  ["get leads", "get_leads"],
  ["search", "docs_search"],
  ["mcp__crm__user.get", "mcp__crm__user_get"],
]);

function rewrite(text: string, kind: TextKind): string {
  const mentions = findMentions(text, { kind, isKnown: (token) => NAMES.has(token) });
  return replaceMentions(text, mentions, (token) => NAMES.get(token) ?? token);
}

describe("mentions of tools in a text (LOCK-4)", () => {
  it.each([
    ["a whole string", 'call("user.get")', 'call("user_get")'],
    ["single quotes and backticks", "['user.get', `fs/list`]", "['user_get', `fs_list`]"],
    [
      "a name with a space, as a whole string alone",
      'x("get leads", "get leads now")',
      'x("get_leads", "get leads now")',
    ],
    ["an item of a list in a string", '"mcp__crm__user.get,Read"', '"mcp__crm__user_get,Read"'],
    ["two on a line", 'a("user.get", "user.get")', 'a("user_get", "user_get")'],
  ])("in code are found as %s", (_, text, expected) => {
    expect(rewrite(text, "code")).toBe(expected);
  });

  it.each([
    ["a member", "const a = user.get(id);"],
    ["a longer token", 'import("./user.get.js"); t("config.user.get")'],
    ["a part of a word", '"my_user.get" "user.getter"'],
    ["another case", '"User.Get"'],
    ["a plain word", 'input type="search"'],
  ])("in code are not taken from %s", (_, text) => {
    expect(rewrite(text, "code")).toBe(text);
  });

  it("in prose are found where a sentence ends, in lists, emphasis and code spans", () => {
    const text = "Call user.get. Or (user.get), **user.get**, `fs/list`: user.get!\n- user.get: reads";
    expect(rewrite(text, "prose")).toBe(
      "Call user_get. Or (user_get), **user_get**, `fs_list`: user_get!\n- user_get: reads",
    );
  });

  it("in data are found as plain scalars", () => {
    expect(rewrite("tools:\n  - user.get\nother: [fs/list, search]\r\n", "data")).toBe(
      "tools:\n  - user_get\nother: [fs_list, search]\r\n",
    );
  });

  it("that are doubtful are told with the reason and the place", () => {
    const found = findMentions('x = user.get\ny = "search"', {
      kind: "code",
      isKnown: (token) => NAMES.has(token),
    });
    expect(found).toEqual([
      { token: "user.get", start: 4, line: 1, column: 5, doubt: "unquoted" },
      { token: "search", start: 18, line: 2, column: 6, doubt: "plain-word" },
    ]);
  });

  it("takes a word of one part for a word", () => {
    expect(["search", "Search", "SEARCH"].every(isPlainWord)).toBe(true);
    expect(["getUser", "read_file", "a.b", "x2", "a-b", "日本"].some(isPlainWord)).toBe(false);
  });

  it("stays linear on a hostile text", () => {
    const text = `${'"\\'.repeat(50_000)}${"'".repeat(50_001)} user.get`;
    expect(rewrite(text, "prose").endsWith("user_get")).toBe(true);
  });
});
