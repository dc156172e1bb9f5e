import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildToolSearch, type SearchEntry } from "./build-tool-search.js";

const entry = (name: string, description = ""): SearchEntry => ({ key: name, names: [name], description });
const TOOLS = [
  entry("fs_read_file", "Reads the text of one file."),
  entry("fs_write_file", "Writes text to a file; reads nothing."),
  entry("fs_listDirectory", "Lists what a folder holds."),
  entry("web.search", "Searches the web."),
  entry("mail-send", "Sends a message. Not for searching files."),
  entry("notion_API-post-search", "Search by title"),
  entry("搜索文件", "在文件夹中搜索"),
  entry("créer_événement", "Crée un événement"),
  entry("constructor", "__proto__ toString"),
];
const search = buildToolSearch(TOOLS);
const keys = (query: string, limit?: number): readonly string[] =>
  search(query, limit === undefined ? {} : { limit }).map(({ key }) => key);

describe("find_tools searches by words (GW-11)", () => {
  it.each([
    ["words of a name in any order", "file read", "fs_read_file"],
    ["a name as it is", "fs_write_file", "fs_write_file"],
    ["parts of camel case", "list directory", "fs_listDirectory"],
    ["camel case written together", "listdirectory", "fs_listDirectory"],
    ["the beginning of a word", "dire", "fs_listDirectory"],
    ["words of a description", "folder", "fs_listDirectory"],
    ["capitals", "SEND MAIL", "mail-send"],
    ["a plural", "directorys", "fs_listDirectory"],
    ["other scripts", "文件", "搜索文件"],
    ["accents, however composed", "e\u0301ve\u0301nement", "créer_événement"],
    ["names of object members", "constructor", "constructor"],
    ["words of object members", "__proto__", "constructor"],
  ])("finds by %s", (_, query, key) => {
    expect(keys(query)[0]).toBe(key);
  });

  it("puts a word in a name before one in a description", () => {
    expect(keys("search").slice(0, 2).sort()).toEqual(["notion_API-post-search", "web.search"]);
    expect(keys("search")).toContain("mail-send");
  });

  it("puts tools that answer to the whole query first", () => {
    expect(keys("write file")[0]).toBe("fs_write_file");
  });

  it("lists the first tools for an empty query", () => {
    expect(keys("", 2)).toEqual(["constructor", "créer_événement"]);
    expect(keys("  ", 100)).toHaveLength(TOOLS.length);
  });

  it("finds nothing for symbols and unknown words", () => {
    expect(keys("🔎")).toEqual([]);
    expect(keys("zebra")).toEqual([]);
    expect(buildToolSearch([])("a")).toEqual([]);
  });

  it("keeps to the limit and to what is accepted", () => {
    expect(keys("file", 1)).toHaveLength(1);
    expect(keys("file", 0)).toEqual([]);
    const hits = search("file", { accepts: (key) => key !== "fs_read_file" });
    expect(hits.map(({ key }) => key)).not.toContain("fs_read_file");
    expect(search("", { accepts: (key) => key === "web.search" }).map(({ key }) => key)).toEqual([
      "web.search",
    ]);
  });

  it("orders equals by key", () => {
    const same = buildToolSearch(["c", "a", "b"].map((key) => ({ key, names: ["same"], description: "" })));
    expect(same("same").map(({ key }) => key)).toEqual(["a", "b", "c"]);
  });

  const word = fc.constantFrom("read", "file", "readFile", "搜索", "web", "__proto__", "a", "files");
  const entries = fc.uniqueArray(
    fc.record({
      key: fc.string({ minLength: 1, maxLength: 3 }),
      names: fc.array(word, { maxLength: 3 }),
      description: fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
    }),
    { selector: ({ key }) => key, maxLength: 12 },
  );

  it("answers the same whatever order the tools came in", () => {
    fc.assert(
      fc.property(entries, fc.array(word, { maxLength: 3 }), (given, words) => {
        const query = words.join(" ");
        const forward = buildToolSearch(given)(query, { limit: 50 });
        expect(buildToolSearch(given.toReversed())(query, { limit: 50 })).toEqual(forward);
      }),
    );
  });

  it("finds every tool by any of its names, and ranks without gaps", () => {
    fc.assert(
      fc.property(entries, (given) => {
        const found = buildToolSearch(given);
        for (const { key, names } of given) {
          for (const name of names) {
            const hits = found(name, { limit: 50 });
            expect(hits.map((hit) => hit.key)).toContain(key);
            expect(hits.every((hit, at) => at === 0 || hit.score <= (hits[at - 1]?.score ?? 0))).toBe(true);
          }
        }
      }),
    );
  });
});
