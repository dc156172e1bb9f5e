import { describe, expect, it } from "vitest";
import { filtersOf, matchesGlob, passesFilters } from "./tool-filters.js";

describe("the filters of an entry, whoever wrote it (NAME-8)", () => {
  it.each([
    ["nothing", {}, undefined],
    ["Onym's own", { toolFilters: ["a"] }, ["a"]],
    ["none at all", { toolFilters: [] }, []],
    ["1MCP, Roo Code, Windsurf", { disabledTools: ["rm"] }, ["*", "!rm"]],
    ["mcp-hub", { disabled_tools: ["rm", "mv"] }, ["*", "!rm", "!mv"]],
    ["Codex", { enabled_tools: ["a", "b"], disabled_tools: ["b"] }, ["a", "b", "!b"]],
    ["Gemini CLI", { includeTools: ["a"], excludeTools: ["a"] }, ["a", "!a"]],
    ["mcp-proxy, allowing", { options: { toolFilter: { mode: "allow", list: ["a"] } } }, ["a"]],
    ["mcp-proxy, blocking", { options: { toolFilter: { mode: "block", list: ["a"] } } }, ["*", "!a"]],
    ["lists of nothing", { disabledTools: [], excludeTools: [1] }, undefined],
    ["no lists", { disabledTools: "rm", includeTools: {} }, undefined],
  ])("%s", (_, entry, expected) => {
    expect(filtersOf(entry)).toEqual(expected);
  });
});

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
    [["*", "!read_file"], false],
    [["!read_file", "*"], false],
    [["*", "!write_*"], true],
    [["read_*", "!*_file"], false],
    [["!write_file"], true],
    [["!read_*"], false],
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
