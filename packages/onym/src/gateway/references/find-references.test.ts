import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createReferenceFinder,
  MAX_MENTIONS,
  MAX_SEARCHED,
  MAX_TEXT_MENTIONS,
  MentionBudget,
  nameKindOf,
  renderReferences,
} from "./find-references.js";

const NAMES = [
  "read_file",
  "read_file_v2",
  "readFile",
  "list-dirs",
  "files.read",
  "files/read",
  "search",
  "Fetch",
  "SQL",
  "größe_ändern",
  "send mail",
  "🔎",
  "搜索",
  "it's",
  "__proto__",
  "constructor",
  "-x",
  "a.",
];
const find = createReferenceFinder(NAMES);
const show = (text: string): string => renderReferences(find(text), (raw) => `[${raw}]`);

describe("nameKindOf", () => {
  it.each([
    ["read_file", "identifier"],
    ["readFile", "identifier"],
    ["get2", "identifier"],
    ["a.b", "identifier"],
    ["search", "word"],
    ["Search", "word"],
    ["SQL", "word"],
    ["2024", "word"],
    ["send mail", "odd"],
    ["🔎", "odd"],
    ["搜索", "odd"],
    ["-x", "odd"],
    ["a.", "odd"],
    ["", "odd"],
  ])("takes %j for %s", (name, kind) => {
    expect(nameKindOf(name)).toBe(kind);
  });
});

describe("references follow names", () => {
  it.each([
    ["an identifier", "Call read_file first", "Call [read_file] first"],
    ["one alone", "read_file", "[read_file]"],
    ["one that ends a sentence", "Use read_file. Then readFile...", "Use [read_file]. Then [readFile]..."],
    ["a list", "read_file,readFile; (list-dirs)", "[read_file],[readFile]; ([list-dirs])"],
    ["an entry", "- read_file: reads", "- [read_file]: reads"],
    ["a call", "read_file(path)", "[read_file](path)"],
    ["emphasis", "**read_file** and *readFile*", "**[read_file]** and *[readFile]*"],
    ["names with dots and slashes", "files.read or files/read.", "[files.read] or [files/read]."],
    ["the longest name", "read_file_v2 not read_file", "[read_file_v2] not [read_file]"],
    ["letters of other scripts", "größe_ändern geht", "[größe_ändern] geht"],
    ["a name among letters that need no spaces", "使用read_file工具", "使用[read_file]工具"],
    ["a possessive", "read_file's result", "[read_file]'s result"],
    ["a quoted identifier", "\"read_file\" and 'readFile'", "\"[read_file]\" and '[readFile]'"],
    ["names of object members", "__proto__", "[__proto__]"],
    [
      "a quoted word",
      "'search' “search” ‘search’ «search» \"search\"",
      "'[search]' “[search]” ‘[search]’ «[search]» \"[search]\"",
    ],
    [
      "a quoted word that ends a sentence",
      "Call 'search'. Or \"Fetch\"...",
      "Call '[search]'. Or \"[Fetch]\"...",
    ],
    ["a word before tool", "the search tool, the Fetch tools.", "the [search] tool, the [Fetch] tools."],
    ["a word after tool", "use tool search", "use tool [search]"],
    ["a word at the line's end", "the search\ntool", "the [search]\ntool"],
    ["a quoted name with a space", 'use "send mail" now', 'use "[send mail]" now'],
    ["a quoted emoji", "use '🔎'", "use '[🔎]'"],
    ["a quoted name without spaces around", "使用「搜索」。", "使用「[搜索]」。"],
    ["a quoted name with a quote", 'say "it\'s"', 'say "[it\'s]"'],
    ["a quoted name with odd ends", "'-x' 'a.'", "'[-x]' '[a.]'"],
    ["text after a stray backtick", "a ` b read_file", "a ` b [read_file]"],
    ["text after a paragraph's stray backtick", "a ` b\n\nread_file ` c", "a ` b\n\n[read_file] ` c"],
    ["text around code", "read_file `a read_file` readFile", "[read_file] `a read_file` [readFile]"],
    [
      "a name in backticks (GW-9)",
      "Use `read_file` or ``files.read``",
      "Use `[read_file]` or ``[files.read]``",
    ],
    ["a word in backticks (GW-9)", "call `search`, ` Fetch `", "call `[search]`, ` [Fetch] `"],
    ["an odd name in backticks (GW-9)", "call `send mail`", "call `[send mail]`"],
    ["a call in backticks (GW-9)", "`read_file(path)` `search()`", "`[read_file](path)` `[search]()`"],
    ["an entry in backticks (GW-9)", "- `read_file`: reads", "- `[read_file]`: reads"],
    ["text after a fence", "```\nread_file\n```\nread_file", "```\nread_file\n```\n[read_file]"],
    ["text after an address", "https://x.y/read_file read_file", "https://x.y/read_file [read_file]"],
    ["the label of a link", "[read_file](https://x.y/read_file)", "[[read_file]](https://x.y/read_file)"],
  ])("finds %s", (_, text, shown) => {
    expect(show(text)).toBe(shown);
  });

  it.each([
    ["a longer word", "read_files myread_file read_file-x read_file2 read_fileß"],
    ["a path", "/read_file ./read_file src/read_file read_file/x C:\\read_file read_file.txt ~/read_file"],
    [
      "an address",
      "https://x.y/read_file ftp://read_file file:///read_file https://x.y?a=read_file&readFile",
    ],
    ["an address without scheme", "www.x.y/read_file mailto:read_file x.y?a=read_file urn:x:read_file"],
    ["an e-mail address", "read_file@example.com a@read_file"],
    [
      "a variable, tag, anchor or flag",
      "$read_file <read_file> </read_file> #read_file --read_file {read_file}",
    ],
    ["a glob", "read_file*"],
    [
      "code that is more than a name",
      "``a ` read_file`` `a\nread_file` `read_file path` `x.read_file()` `-read_file`",
    ],
    ["a call that does not end", "`read_file(a) | wc`"],
    ["a key in backticks", "`search`: what to look for"],
    ["a fenced block", "```sh\nread_file\n```"],
    ["an indented fence", "  ~~~\nread_file\n  ~~~"],
    ["a fence with longer marks", "````\n```\nread_file\n````"],
    ["a fence that is never closed", "```\nread_file\n``` x\nread_file"],
    ["a plain word", "search the web, fetch it, Fetch, SQL, constructor"],
    ["a word beside other words", "search toolbox, tools search, tooling search, search  tool, atool search"],
    ["a word in code", "`'search'` `a search tool` ```\nsearch tool\n```"],
    ["a key of JSON", "{\"search\": 1, 'search': 2}"],
    ["apostrophes", "users' search'es don'search'"],
    ["an odd name without quotes", "send mail 🔎 搜索 it's"],
    ["another case", "READ_FILE Read_file 'SEARCH'"],
    ["nothing", ""],
  ])("leaves %s alone", (_, text) => {
    expect(find(text)).toEqual(text === "" ? [] : [text]);
  });

  it("takes a word that means something else there for no mention (GW-9)", () => {
    const own = new Set(["search", "read_file"]);
    const text = "Set `search`, 'search' or `read_file`; call read_file or `Fetch`.";
    expect(renderReferences(find(text, own), (raw) => `[${raw}]`)).toBe(
      "Set `search`, 'search' or `read_file`; call [read_file] or `[Fetch]`.",
    );
  });

  it("finds nothing where there are no names", () => {
    expect(createReferenceFinder([])("read_file")).toEqual(["read_file"]);
    expect(createReferenceFinder([""])("''")).toEqual(["''"]);
    expect(createReferenceFinder([])("")).toEqual([]);
  });

  it.each([
    ["backticks", "`".repeat(400_000)],
    ["spans", "`a` ".repeat(100_000)],
    ["a long span", `\`${"a".repeat(1_000_000)}(\``],
    ["a span of spaces", `\`${" ".repeat(400_000)}\``],
    ["spans of every length", Array.from({ length: 900 }, (_, n) => "`".repeat(n + 1)).join(" ")],
    ["unclosed backticks", "` a\n\n".repeat(100_000)],
    ["fences", "```\n````\n".repeat(50_000)],
    ["opening quotes", "“".repeat(400_000)],
    ["quotes with one closer", `${"“a ".repeat(200_000)}”`],
    ["quotes", "'\"".repeat(200_000)],
    ["one word", "a".repeat(1_000_000)],
    ["one word beyond ASCII", "ä".repeat(400_000)],
    ["full stops", "a....".repeat(100_000)],
    ["addresses", "a://".repeat(200_000)],
    ["the word tool", "tool ".repeat(100_000)],
    ["lines before a backtick", `${"a\n".repeat(200_000)}\``],
    ["lines before a closing quote", `${"“a\n".repeat(200_000)}”`],
    ["blank lines", "\n \n".repeat(200_000)],
  ])("comes through %s, and gives it back", (_, text) => {
    for (const each of [text, text.slice(0, MAX_SEARCHED)])
      expect(renderReferences(find(each), (raw) => raw)).toBe(each);
  });

  it("does not search texts that are longer than any description (SAFE-4)", () => {
    const fill = (length: number): string => "read_file".padStart(length, " ");
    for (const length of [MAX_SEARCHED - 1, MAX_SEARCHED])
      expect(find(fill(length))).toContainEqual({ raw: "read_file" });
    expect(find(fill(MAX_SEARCHED + 1))).toEqual([fill(MAX_SEARCHED + 1)]);
  });

  it.each([
    ["one below", MAX_TEXT_MENTIONS - 1, 0],
    ["at", MAX_TEXT_MENTIONS, 0],
    ["one above", MAX_TEXT_MENTIONS + 1, 1],
  ])(
    "follows the mentions in a text, %s the limit, and leaves the rest as it is (limits: MAX_TEXT_MENTIONS of find-references) (SAFE-4)",
    (_, count, left) => {
      for (const [text, raw] of [
        ["read_file ", "read_file"],
        ["'search' ", "search"],
        ["`search` ", "search"],
      ] as const) {
        const budget = new MentionBudget();
        const parts = find(text.repeat(count), undefined, budget);
        expect(parts.filter((part) => typeof part !== "string")).toHaveLength(count - left);
        expect(renderReferences(parts, () => "x")).toBe(
          text.replace(raw, "x").repeat(count - left) + text.repeat(left),
        );
        expect(budget.cutTexts).toBe(left);
      }
    },
  );

  it.each([
    ["one below", MAX_MENTIONS - 1, 0],
    ["at", MAX_MENTIONS, 0],
    ["one above", MAX_MENTIONS + 1, 1],
  ])(
    "follows the mentions in texts that share a budget, %s the limit (limits: MAX_MENTIONS of find-references) (SAFE-4)",
    (_, count, left) => {
      const budget = new MentionBudget();
      let found = 0;
      for (let rest = count; rest > 0; rest -= 500) {
        const parts = find("read_file ".repeat(Math.min(rest, 500)), undefined, budget);
        found += parts.filter((part) => typeof part !== "string").length;
      }
      expect(found).toBe(count - left);
      expect(budget.cutTexts).toBe(left);
    },
  );

  it("keeps one object for all mentions of a tool", () => {
    const [first, , second] = find("read_file read_file");
    expect(second).toBe(first);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      ...NAMES,
      "`",
      "```",
      "~~~",
      "\n",
      "\n\n",
      " ",
      ".",
      "'",
      '"',
      "“",
      "”",
      "://",
      "@",
      "tool",
      "*",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.constantFrom("\uD83D", "\uDD0E", "\r\n"),
  );
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

  it("gives every text back unchanged when names stay as they are", () => {
    fc.assert(
      fc.property(texts, fc.array(piece, { maxLength: 5 }), (text, names) => {
        const parts = createReferenceFinder([...names, ...NAMES])(text);
        expect(renderReferences(parts, (raw) => raw)).toBe(text);
        expect(parts).not.toContain("");
      }),
      { numRuns: 2_000 },
    );
  });

  it("refers to nothing but the names it was given", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const part of find(text)) if (typeof part !== "string") expect(NAMES).toContain(part.raw);
      }),
      { numRuns: 2_000 },
    );
  });
});
