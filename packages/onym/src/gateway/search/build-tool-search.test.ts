import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import { type SearchOptions, type SearchText, toolSearchSteps } from "./build-tool-search.js";

interface Entry extends Omit<SearchText, "owner"> {
  readonly key: string;
  readonly owner?: string;
}

const entry = (name: string, description = ""): Entry => ({ key: name, names: [name], description });

function buildSearch(entries: readonly Entry[]) {
  const search = runAtOnce(toolSearchSteps(entries, (tool) => ({ owner: undefined, ...tool })));
  return (query: string, options?: SearchOptions<Entry>) =>
    runAtOnce(search(query, options)).map(({ tool, score }) => ({ key: tool.key, score }));
}

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
const search = buildSearch(TOOLS);
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
    expect(buildSearch([])("a")).toEqual([]);
  });

  it("keeps to the limit and to what is accepted", () => {
    expect(keys("file", 1)).toHaveLength(1);
    expect(keys("file", 0)).toEqual([]);
    const hits = search("file", { accepts: ({ key }) => key !== "fs_read_file" });
    expect(hits.map(({ key }) => key)).not.toContain("fs_read_file");
    expect(search("", { accepts: ({ key }) => key === "web.search" }).map(({ key }) => key)).toEqual([
      "web.search",
    ]);
  });

  it("orders equals by key", () => {
    const same = buildSearch(["c", "a", "b"].map((key) => ({ key, names: ["same"], description: "" })));
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
        const forward = buildSearch(given)(query, { limit: 50 });
        expect(buildSearch(given.toReversed())(query, { limit: 50 })).toEqual(forward);
      }),
    );
  });

  it("finds every tool by any of its names, and ranks without gaps", () => {
    fc.assert(
      fc.property(entries, (given) => {
        const found = buildSearch(given);
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

function countSteps(steps: Steps<unknown>): number {
  let count = 1;
  while (steps.next().done !== true) count += 1;
  return count;
}

describe("a search of many tools is bounded, and in steps (SAFE-4)", () => {
  /** Words that begin alike. */
  const alike = Array.from({ length: 150 }, (_, n) => `alike${String.fromCharCode(97 + (n % 24))}${n}`);
  const many = (count: number, description: string, owner = "big"): readonly Entry[] =>
    Array.from({ length: count }, (_, n) => ({ key: `${owner} ${n}`, names: [`t${n}`], description, owner }));
  const found = (entries: readonly Entry[], query: string): readonly string[] =>
    buildSearch(entries)(query, { limit: 3 }).map(({ key }) => key);

  it("indexes one tool a step, and sorts words in steps", () => {
    const entries = many(2_000, "reads a file");
    const indexed = countSteps(toolSearchSteps(entries, (tool) => ({ owner: undefined, ...tool })));
    // Every tool has a word of its own, t1999: runs of a thousand, which are merged.
    expect(indexed).toBeGreaterThan(2_000 + 2 + 4);
  });

  it("reads 100,000 postings for a query at most, a thousand a step", () => {
    const search = runAtOnce(
      toolSearchSteps(many(2_000, alike.join(" ")), (tool) => ({ owner: undefined, ...tool })),
    );
    // 24 words with 100 completions and more, each in 2,000 tools: millions of postings.
    const costly = ["al", "ali", "alik", ...alike.slice(0, 21)].join(" ");
    const steps = countSteps(search(costly));
    expect(steps).toBeGreaterThan(100);
    expect(steps).toBeLessThan(110);
  });

  it("asks about a thousand tools a step at most", () => {
    const search = runAtOnce(toolSearchSteps(many(5_000, "file"), (tool) => ({ owner: undefined, ...tool })));
    let asked = 0;
    let most = 0;
    const steps = search("file", { accepts: () => ++asked < 0 });
    for (let done = false; !done; ) {
      const before = asked;
      done = steps.next().done === true;
      most = Math.max(most, asked - before);
    }
    expect({ asked, most }).toEqual({ asked: 5_000, most: 1_000 });
  });

  it("finds by a rare word what common words leave no postings for", () => {
    const rare = { key: "rare", names: ["zebra"], description: alike.join(" "), owner: "zoo" };
    const entries = [...many(5_000, alike.slice(0, 22).join(" ")), rare];
    expect(found(entries, [...alike.slice(0, 22), "zebra"].join(" "))[0]).toBe("rare");
  });

  it("reads the words of a query before their completions, though those are rarer", () => {
    const search = buildSearch([...many(3_000, "al", "exact"), ...many(1_000, alike.join(" "))]);
    expect(search("al", { accepts: ({ owner }) => owner === "exact" })).toHaveLength(10);
  });

  it("indexes less of each description of a server the more tools it has, and all of another's", () => {
    const end = (length: number, word: string): string => `${"x ".repeat(length / 2)}${word}`;
    const few = { key: "few", names: ["few"], description: end(1_900, "whole"), owner: "small" };
    const at = (tools: number) => [...many(tools, end(990, "late")), few];
    expect(found(at(2_000), "late")).toHaveLength(3);
    expect(found(at(2_100), "late")).toEqual([]);
    expect(found(at(2_100), "whole")).toEqual(["few"]);
  });

  it("takes 100,000 words from one server, and names of others after them", () => {
    const flood = Array.from({ length: 1_001 }, (_, n) => ({
      key: `flood ${n}`,
      names: [],
      description: Array.from({ length: 100 }, (__, m) => `w${n}x${m}`).join(" "),
      owner: "flood",
    }));
    const entries = [...flood, { key: "later", names: ["zebra"], description: "", owner: "zoo" }];
    const search = buildSearch(entries);
    expect(search("w999x99")).toHaveLength(1);
    expect(search("w1000x0")).toEqual([]);
    expect(search("zebra").map(({ key }) => key)).toEqual(["later"]);
  });
});
