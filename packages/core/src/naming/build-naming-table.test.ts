import { describe, expect, it } from "vitest";
import { buildCatalog } from "../catalog/build-catalog.js";
import type { ToolSource } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { defineProfile } from "../profiles/define/define-profile.js";
import type { ProfileInput } from "../profiles/define/profile-input.js";
import { findProfile, listProfiles } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";
import { matchesProfile } from "../profiles/sent/sent-name.js";
import { buildNamingTable, type NamingOptions } from "./build-naming-table.js";
import { EMPTY_LOCK, type Lock } from "./lock/lock.js";

const profileOf = (id: string): Profile => findProfile(id) as Profile;
const table = (sources: readonly ToolSource[], profile: string, options?: NamingOptions) =>
  buildNamingTable(buildCatalog(sources), profileOf(profile), options);
const names = (sources: readonly ToolSource[], profile: string, options?: NamingOptions): string[] =>
  table(sources, profile, options).tools.map(({ name }) => name);
const one = (server: string, raw: string): ToolSource[] => [{ server, tools: [raw] }];

describe("wishes", () => {
  const dg = one("data-grout", "prism.refract");
  it.each([
    ["flat", "mcp", "dg_prism_refract"],
    ["canonical", "canonical", "data-grout@1/prism.refract@1"],
    ["dotted", "mcp", "data-grout.prism.refract"],
    ["slashed", "sep-986", "data-grout/prism.refract"],
    ["encoded", "anthropic", "prism__refract"],
    ["prefixed", "mcp", "mcp_data-grout__prism.refract"],
    ["bare", "mcp", "prism.refract"],
  ] as const)("style %s in %s gives %s (NAME-1)", (style, profile, name) => {
    expect(names(dg, profile, { style })).toEqual([name]);
  });

  it("style toolbox has three parts, for tools in a toolbox (NAME-1) (BOX-1)", () => {
    const sources: ToolSource[] = [
      { toolbox: "dev", server: "filesystem", tools: ["read_file"] },
      { server: "salesforce", tools: ["get_leads"] },
    ];
    expect(names(sources, "openai")).toEqual(["dev__filesystem__read_file", "sf_get_leads"]);
  });

  it.each([
    ["dev", "filesystem", "read_file", "dev__filesystem__read_file"],
    ["Dev-Box", "file_system", "readFile", "dev_box__file_system__read_file"],
    ["dev", "fs", "tool__with__underscores", "dev__fs__tool_with_underscores"],
    ["1st", "2nd", "3rd", "t_1st__2nd__3rd"],
    // A part of which nothing is left makes no third part.
    ["dev", "fs", "…", "dev_fs"],
    ["-", "fs", "read", "fs_read"],
  ])("style toolbox has three parts in universal, too: %s, %s, %s (BOX-8)", (toolbox, server, raw, name) => {
    const sources: ToolSource[] = [{ toolbox, server, tools: [raw] }];
    expect(names(sources, "universal")).toEqual([name]);
    expect(names(sources, "generic-safe")).toEqual([name]);
  });

  it("only the parts of a toolbox name are separated by __ in universal (BOX-8) (RULE-2)", () => {
    const sources: ToolSource[] = [{ toolbox: "a", server: "b", tools: ["c"] }, ...one("x", "a__b__c")];
    expect(names(sources, "universal", { style: "flat" })).toEqual(["x_a_b_c", "b_c"].sort());
    expect(names(one("x", "a__b__c"), "universal", { style: "bare" })).toEqual(["a_b_c"]);
  });

  it("clients that are known to break on __ do not see it (BOX-8)", () => {
    const sources: ToolSource[] = [{ toolbox: "dev", server: "fs", tools: ["read_file"] }];
    expect(names(sources, "crewai")).toEqual(["dev_fs_read_file"]);
    expect(names(sources, "cherry-studio")).toEqual(["devFsReadFile"]);
    const broken = listProfiles().filter(
      (profile) => !profile.unrestricted && names(sources, profile.id)[0] !== "dev__fs__read_file",
    );
    expect(broken.map(({ id }) => id).sort()).toEqual(["cherry-studio", "crewai"]);
  });

  it("a name of three parts that is too long loses them whole, numbered or cut (BOX-8) (NAME-4)", () => {
    const head = { toolbox: "a".repeat(20), server: "b".repeat(20) };
    const tools = ["é", "ü", "cc", "c.c", "c-c", "c c c"];
    const given = names([{ ...head, tools: [...tools, "d".repeat(40)] }], "universal");
    expect(new Set(given).size).toBe(7);
    for (const name of given) {
      expect(name.length).toBeLessThanOrEqual(46);
      expect([1, 3]).toContain(name.split("__").length);
      expect(matchesProfile(name, profileOf("universal"), "onym")).toBe(true);
    }
  });

  it("names of three parts that are in the lock become former ones when the style changes (BOX-8) (NAME-4)", () => {
    const sources: ToolSource[] = [{ toolbox: "dev", server: "fs", tools: ["read_file"] }];
    const before = table(sources, "universal");
    const lock = { ...EMPTY_LOCK, profiles: new Map([[before.lockKey, before.nextLock()]]) };
    expect(names(sources, "universal", { lock })).toEqual(["dev__fs__read_file"]);
    const flat = table(sources, "universal", { lock, style: "flat" });
    expect(flat.tools.map(({ name }) => name)).toEqual(["fs_read_file"]);
    expect(flat.nextLock().names.get("dev__fs__read_file")).toMatchObject({ retired: "renamed" });
  });

  it("chooses canonical names for profiles without restrictions, toolbox names with toolboxes, else flat ones (NAME-1)", () => {
    expect(table(dg, "canonical").style).toBe("canonical");
    expect(table(dg, "openai").style).toBe("flat");
    expect(table([{ toolbox: "dev", server: "fs", tools: [] }], "openai").style).toBe("toolbox");
  });

  it("turns camelCase into snake_case where only that is safe (RULE-2)", () => {
    expect(names(one("GitHub", "getUserByID"), "universal")).toEqual(["github_get_user_by_id"]);
  });
});

describe("fitting", () => {
  it("replaces each character outside the profile by one _, and does not merge runs (NAME-2)", () => {
    expect(names(one("x", "a, b🙂c"), "openai")).toEqual(["x_a__b_c"]);
  });

  it("leaves out the prefix of a name that repeats it, but only when it is too long (NAME-2)", () => {
    const short = "linear-list-issues";
    const long = `linear-${"list-issues-of-a-project-".repeat(2)}x`;
    expect(names(one("linear", short), "openai")).toEqual([`linear_${short}`]);
    expect(names(one("linear", long), "openai")).toEqual([long]);
    const shouted = `LINEAR.${"a".repeat(55)}`;
    expect(names(one("linear", shouted), "openai")).toEqual([shouted.replace(".", "_")]);
  });

  it("leaves no tool without words of its own, though all of its name repeats the prefix (NAME-2)", () => {
    const owner = "every-single-shipment-of-the-warehouse";
    for (const raw of [owner, `${owner}__`, owner.toUpperCase()]) {
      const [name = ""] = names([{ server: owner, tools: [raw] }], "openai");
      expect(name).toMatch(/single[-_]shipment[-_]of/i);
      expect(name.length).toBeLessThanOrEqual(64);
    }
  });

  it("does not take a name that merely starts with the same letters for a repetition (NAME-2)", () => {
    const [name] = names(one("git", `github_${"x".repeat(54)}`), "openai");
    expect(name).toMatch(/_[a-z2-7]{8}$/);
  });

  it("cuts owner and suite before the tool's own words, and words before halves (NAME-2)", () => {
    const [words] = names(
      one("enterprise-data-platform", "some.suite.create_or_update_customer_records"),
      "vscode",
    );
    expect(words).toMatch(/^create_or_update_customer_records_[a-z2-7]{8}$/);
    const [half] = names(one("srv", "x".repeat(200)), "openai");
    expect(half).toMatch(/^x{55}_[a-z2-7]{8}$/);
    const [whole] = names(one("srv", `${"word_".repeat(30)}end`), "openai");
    expect(whole).toMatch(/^(word_)+[a-z2-7]{8}$/);
    const [owner] = names(one("stripe", `${"create_refund_".repeat(3)}for_a_customer_now`), "openai");
    expect(owner?.length).toBeLessThanOrEqual(64);
  });

  it("cuts a name of nothing but separators alike under all rules (NAME-2)", () => {
    const source: ToolSource[] = [{ server: "", alias: "sf", tools: ["-".repeat(70)] }];
    const [name] = names(source, "openai");
    expect(name).toMatch(/^tool_[a-z2-7]{8}$/);
    expect(names(source, "gemini")).toEqual([name]);
  });

  it("gives a digest that depends on the identity alone (NAME-2) (NAME-4)", () => {
    const raw = "y".repeat(90);
    const [alone] = names(one("srv", raw), "openai");
    const together = names([...one("srv", raw), { server: "aaa", tools: [raw, "z"] }], "openai");
    expect(together).toContain(alone);
    expect(new Set(together).size).toBe(3);
  });

  it("starts with a letter where a profile wants one, and is long enough (RULE-2)", () => {
    expect(names(one("0codekit", "run"), "universal")).toEqual(["t_0codekit_run"]);
    expect(names([{ server: "x", tools: ["a"] }], "universal", { style: "bare" })).toEqual(["t_a"]);
    expect(names(one("x", ""), "openai", { style: "bare" })).toEqual(["tool"]);
    expect(names(one("x", "_hidden"), "amazon-q-cli", { style: "bare" })).toEqual(["t_hidden"]);
  });
});

describe("assigning", () => {
  it("numbers collisions in the order of the catalog, and keeps real numbers apart (NAME-3) (RES-2)", () => {
    const sources: ToolSource[] = [
      { server: "salesforce", tools: ["create.lead", "create_lead", "create_lead_2", "create/lead"] },
    ];
    expect(table(sources, "openai").tools.map(({ name, tool }) => `${name} = ${tool.raw}`)).toEqual([
      "sf_create_lead_3 = create.lead",
      "sf_create_lead_4 = create/lead",
      "sf_create_lead = create_lead",
      "sf_create_lead_2 = create_lead_2",
    ]);
  });

  it.each([
    ["openai", "files_read_file", "files_read-file", "files_read_file_2"],
    ["codex", "files_read_file", "files_read_file_2", "files_read_file_3"],
    ["universal", "files_read_file", "files_read_file_2", "files_read_file_3"],
  ])("gives in %s the plain name to the tool that is really called so (NAME-3)", (id, ...names) => {
    const [real, hyphen, dot] = names;
    for (const tools of [
      ["read-file", "read.file", "read_file"],
      ["read_file", "read.file", "read-file"],
    ]) {
      const named = table([{ server: "files", tools }], id).tools;
      expect(new Map(named.map(({ name, tool }) => [tool.raw, name]))).toEqual(
        new Map([
          ["read-file", hyphen],
          ["read.file", dot],
          ["read_file", real],
        ]),
      );
    }
  });

  it.each([
    ["where there is room", "lead"],
    ["where the stem is cut for them, once more for the second digit", "lead".repeat(14)],
  ])("gives every number from 2 up, without a gap, %s (NAME-3)", (_, word) => {
    const tools = [..." !#$%&*+,/:;<=>?^|"].map((sign) => `${word}${sign}b`);
    const given = names([{ server: "x", tools }], "openai");
    const numbers = given.map((name) => Number(/_(\d+)$/.exec(name)?.[1] ?? 1)).sort((a, b) => a - b);
    expect(numbers).toEqual(tools.map((_, index) => index + 1));
  });

  it("cuts the stem of a numbered name to make room (NAME-3)", () => {
    const tools = [`${"a".repeat(61)}.`, `${"a".repeat(61)}_`, `${"a".repeat(61)}/`];
    const given = names([{ server: "x", tools }], "openai");
    expect(given[0]).toHaveLength(64);
    expect(new Set(given).size).toBe(3);
    for (const name of given) expect(name.length).toBeLessThanOrEqual(64);
  });

  it("never gives out the names that the gateway uses itself (NAME-6)", () => {
    const given = names([{ server: "x", tools: ["find_tools", "use_tool", "list_toolboxes"] }], "openai", {
      style: "bare",
      ownNames: ["find_tools", "list_toolboxes"],
    });
    expect(given).toEqual(["find_tools_2", "list_toolboxes_2", "use_tool"]);
  });

  it("gives pinned names to the tools they are pinned to (NAME-1)", () => {
    const catalog = buildCatalog([
      { server: "docs", tools: ["search"] },
      { server: "web", tools: ["search"] },
    ]);
    const docs = catalog.tools[0];
    const pins = new Map([["search", docs?.key as never]]);
    const built = buildNamingTable(catalog, profileOf("openai"), { pins });
    expect(built.tools.map(({ name, why }) => [name, why.kind])).toEqual([
      ["search", "pinned"],
      ["web_search", "wish"],
    ]);
    const illegal = buildNamingTable(catalog, profileOf("openai"), {
      pins: new Map([["a.b", docs?.key as never]]),
    });
    expect(illegal.problems).toMatchObject([{ code: "pin-illegal" }]);
    expect(illegal.tools[0]?.name).toBe("docs_search");
  });

  it("keeps names apart that a client would confuse (RULE-5)", () => {
    const sources: ToolSource[] = [{ server: "x", tools: ["a-b", "a_b"] }];
    expect(names(sources, "openai")).toEqual(["x_a-b", "x_a_b"]);
    expect(names(sources, "roo-code")).toEqual(["x_a-b", "x_a_b_2"]);
    const prefixed: ToolSource[] = [
      { server: "onym", tools: ["x"] },
      { server: "s", tools: [] },
    ];
    expect(names(prefixed, "continue")).toEqual(["onym_x"]);
  });

  it("says so when an alias leaves no room for names, or cannot be sent (NAME-5) (RULE-4)", () => {
    const crowded = table(one("x", "y"), "claude-code", { as: "z".repeat(60) });
    expect(crowded.tools).toEqual([]);
    expect(crowded.problems).toMatchObject([{ code: "no-room", severity: "error", tools: ["x@1/y@1"] }]);
    expect(table(one("x", "y"), "lobehub", { as: "a.b" }).problems).toMatchObject([
      { code: "alias-illegal" },
    ]);
  });

  it("warns about more tools than a client takes (RULE-1)", () => {
    const tools = Array.from({ length: 129 }, (_, index) => `t${index}`);
    expect(table([{ server: "x", tools }], "openai").problems).toMatchObject([{ code: "too-many-tools" }]);
  });

  it("holds a tool of any name, both ways (SAFE-1)", () => {
    const tools = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const built = table([{ server: "x", tools }], "openai", { style: "bare" });
    for (const { name, tool } of built.tools) {
      expect(built.toolNamed(name)).toBe(tool);
      expect(built.nameOf(tool)).toBe(name);
    }
    expect(built.toolNamed("valueOf")).toBeUndefined();
  });
});

describe("a table", () => {
  /** A client of a user's own. */
  const own = (input: ProfileInput): Profile => {
    const defined = defineProfile(input);
    if (!defined.ok) throw new Error(defined.problem.message);
    return defined.value;
  };
  const docs = buildCatalog([{ server: "docs", tools: ["read", "search"] }]);
  const [read, search] = docs.tools as readonly [Tool, Tool];

  it("needs twelve characters for a name (NAME-5)", () => {
    const codes = (pattern: string): string[] =>
      buildNamingTable(docs, own({ id: "short", pattern })).problems.map(({ code }) => code);
    expect(codes("^[a-z0-9_]{1,12}$")).toEqual([]);
    expect(codes("^[a-z0-9_]{1,11}$")).toEqual(["no-room"]);
  });

  it("leaves out tools that no name can be made for, and says which (NAME-5) (NAME-8)", () => {
    const picky = own({
      id: "picky",
      pattern: "^(?!docs_s)[a-z_]{1,64}$",
      alphabet: "abcdefghijklmnopqrstuvwxyz_",
      maxLength: 64,
    });
    const table = buildNamingTable(docs, picky);
    expect(table.tools.map(({ name }) => name)).toEqual(["docs_read"]);
    expect(table.problems).toMatchObject([{ code: "not-nameable", tools: ["docs@1/search@1"] }]);
    expect(table.nameOf(search)).toBeUndefined();
  });

  it("names tools also where an alias makes every name illegal (NAME-5)", () => {
    const framed = own({
      id: "framed",
      pattern: "^[a-z_]{1,40}$",
      prefix: "{server}_",
      sentPattern: "^[a-z_]+$",
    });
    const table = buildNamingTable(docs, framed, { as: "a.b" });
    expect(table.tools.map(({ name }) => name)).toEqual(["docs_read", "docs_search"]);
    expect(table.problems.map(({ code }) => code)).toEqual(["alias-illegal"]);
  });

  it("knows what it gave, what is kept from all, and nothing else (NAME-6)", () => {
    const ownNames = ["find_tools", "use_tool"];
    const table = buildNamingTable(docs, profileOf("hf-tgi"), { as: "acme", ownNames });
    for (const name of ["docs_read", "use_tool", "acme_use_tool", "no_tool"])
      expect(table.has(name)).toBe(true);
    expect(table.has("docs_write")).toBe(false);
    expect(table.reserved).toEqual(["find_tools", "acme_find_tools", "use_tool", "acme_use_tool", "no_tool"]);
  });

  it("keeps the names of other profiles from everybody where the whole lock counts (LIB-4)", () => {
    const lock: Lock = {
      profiles: new Map([["cursor", { style: "flat", names: new Map([["old", { key: read.key }]]) }]]),
      tools: new Map(),
    };
    expect(buildNamingTable(docs, profileOf("openai"), { lock, scope: "lock" }).has("old")).toBe(true);
    expect(buildNamingTable(docs, profileOf("openai"), { lock }).has("old")).toBe(false);
    expect(buildNamingTable(docs, profileOf("openai"), { scope: "lock" }).has("old")).toBe(false);
  });

  it("gives a name on record up where it is declared to be an old one of the same tool (LOCK-5)", () => {
    const lock: Lock = {
      profiles: new Map([["openai", { style: "flat", names: new Map([["old", { key: read.key }]]) }]]),
      tools: new Map(),
    };
    const table = buildNamingTable(docs, profileOf("openai"), {
      lock,
      reserved: new Map([["old", read.key]]),
    });
    expect(table.tools.map(({ name }) => name)).toEqual(["docs_read", "docs_search"]);
    expect([table.has("old"), table.problems]).toEqual([true, []]);
  });

  it("keeps a name on record from its tool where it is another's canonical name (CANON-7)", () => {
    const names = new Map([[search.canonical as string, { key: read.key }]]);
    const lock: Lock = {
      profiles: new Map([["canonical", { style: "canonical", names }]]),
      tools: new Map(),
    };
    const table = buildNamingTable(docs, profileOf("canonical"), { lock });
    expect(table.nameOf(read)).toBe("docs@1/read@1");
    expect(table.problems.map(({ code }) => code)).toEqual(["locked-name-ambiguous"]);
  });

  it.each([
    ["claude-code", "claude-code?as=acme"],
    // The client shortens its own prefix, so the alias takes nothing from names.
    ["n8n", "n8n"],
    ["openai", "openai"],
  ])("of %s has its names on record under %s where the gateway is called acme (LOCK-1)", (id, key) => {
    expect(buildNamingTable(docs, profileOf(id), { as: "acme" }).lockKey).toBe(key);
  });
});
