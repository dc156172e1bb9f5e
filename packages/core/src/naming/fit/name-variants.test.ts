import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { defineProfile } from "../../profiles/define/define-profile.js";
import { findProfile, listProfiles } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";
import { BOUNDLESS, buildNamingTable, type NamingOptions, type NamingTable } from "../build-naming-table.js";
import type { Lock } from "../lock/lock.js";
import { type NameVariant, nameVariants } from "./name-variants.js";

/** A client of a user's own. */
function own(id: string, pattern: string): Profile {
  const defined = defineProfile({ id, pattern });
  if (!defined.ok) throw new Error(defined.problem.message);
  return defined.value;
}

const WORDS = "a-zA-Z0-9_";
const openai = findProfile("openai") as Profile;
/** Clients that ask for this and that. */
const OWN: readonly Profile[] = [
  ...[11, 12, 13, 20, 21, 22, 24, 30, 31, 40].map((most) => own(`most-${most}`, `^[${WORDS}-]{1,${most}}$`)),
  ...[2, 8, 9, 10, 17, 18, 19].map((least) => own(`least-${least}`, `^[${WORDS}-]{${least},30}$`)),
  own("letter-first", `^[a-zA-Z][${WORDS}-]{0,29}$`),
  own("small-first", `^[a-z][${WORDS}-]{0,29}$`),
  own("no-hyphens", `^[${WORDS}]{1,30}$`),
  own("no-underscores", "^[a-zA-Z0-9-]{1,30}$"),
  own("no-capitals", "^[a-z0-9_-]{1,30}$"),
  own("with-dots", `^[${WORDS}.-]{1,30}$`),
  own("no-double", `^(?!.*__)[${WORDS}-]{1,30}$`),
  own("no-read", `^(?!.*read)[${WORDS}-]{1,64}$`),
  { ...openai, id: "keeps-some", rules: { ...openai.rules, reserved: ["no_tool", "python"], maxLength: 50 } },
  { ...openai, id: "equates-hyphens", client: { ...openai.client, equatesHyphens: true } },
];
/** And every client that is known. */
const PROFILES: readonly Profile[] = [...listProfiles(), ...OWN];

function profileNamed(id: string): Profile {
  return PROFILES.find((profile) => profile.id === id) as Profile;
}

interface Setting extends NamingOptions {
  readonly profiles?: readonly Profile[];
  readonly locked?: readonly string[];
  readonly keepsCanonical?: boolean;
}

/** What the variants tell, and the ids of the profiles whose whole table they are made from. */
function tell(sources: readonly ToolSource[], setting: Setting) {
  const { profiles = PROFILES, locked = [], keepsCanonical = false, ...options } = setting;
  const catalog = buildCatalog(sources);
  const asked: string[] = [];
  const boundless: NamingTable[] = [];
  const full = new Map(profiles.map((profile) => [profile, buildNamingTable(catalog, profile, options)]));
  const variants = [
    ...nameVariants({
      profiles,
      as: options.as ?? "onym",
      *tableSteps(profile) {
        yield;
        asked.push(profile.id);
        const table = full.get(profile) ?? buildNamingTable(catalog, profile, options);
        if (profile.id.startsWith(BOUNDLESS)) boundless.push(table);
        return table;
      },
      isLocked: ({ id }) => locked.includes(id),
      keepsCanonical,
    }),
  ].filter((variant) => variant !== undefined);
  return { asked, boundless, full: [...full.values()], variants };
}

const entriesOf = (variants: readonly { readonly named: NameVariant["named"] }[]): readonly string[] =>
  variants.flatMap(({ named }) => named.map(({ name, tool }) => `${name} = ${tool.canonical}`));
const tableEntries = (tables: readonly NamingTable[]): readonly string[] =>
  entriesOf(tables.map(({ tools }) => ({ named: tools })));

const long = "list_all_users_of_the_whole_wide_world_and_of_all_other_worlds_too";
const plain: ToolSource = { server: "docs", tools: ["search", "read"] };
const docs = (...tools: readonly string[]): readonly ToolSource[] => [{ server: "docs", tools }];
const pinned = (name: string): Setting => ({
  pins: new Map([[name, toolKeyOf({ server: "docs", raw: "search" })]]),
});

/** Names that numbers or pins tell apart in some profiles only. */
const MANY = "many";

describe("the names of a catalog in all profiles (RES-1) (NAME-4)", () => {
  it.each<[string, readonly ToolSource[], Setting, string]>([
    ["of no tools", [], {}, ""],
    ["of plain tools", [plain], {}, ""],
    ["with a long one", docs("search", long), {}, "boundless-64 boundless-63"],
    ["with two that are long alike", docs(`${long}_1`, `${long}_2`), {}, "boundless-64 boundless-63"],
    [
      "with lengths up to a limit",
      docs("list_all_of_them", "list_all_of_the_u", "list_all_of_usersx"),
      {},
      "",
    ],
    ["with one that repeats its owner", docs(`docs_${long}`, "docs_find"), {}, "boundless-64 boundless-63"],
    [
      "with two alike but for the owner",
      docs("docs_find_all_of_it", "find_all_of_it"),
      {},
      "most-22 most-21 most-20",
    ],
    ["with hyphens", [{ server: "my-docs", tools: ["read-it", "find"] }], {}, "boundless-63"],
    [
      "alike but for hyphens",
      docs("read-it", "read_it", "find"),
      {},
      "equates-hyphens boundless-63 no-underscores",
    ],
    ["with two hyphens", docs("read--it", `${long}--x`), {}, "boundless-64 boundless-63"],
    ["with many underscores", docs("read__it", "_x", "y_", "a___b"), {}, ""],
    ["with dots", docs("read.it", "a.b.c"), {}, ""],
    ["alike but for dots", docs("read.it", "read_it", "x"), {}, MANY],
    ["with capitals first", docs("GetIt"), { style: "bare" }, ""],
    ["with capitals", docs("readIt", "READ_it"), {}, ""],
    ["alike but for capitals", docs("readIt", "read_it", "readit"), {}, "no-capitals"],
    ["in other scripts", docs("読む", "探す", "read"), {}, MANY],
    ["with digits first", [{ server: "9docs", tools: ["search", long] }], {}, "boundless-64 boundless-63"],
    ["that are short", docs("a", "b"), { style: "bare" }, ""],
    [
      "short behind a digest",
      docs("a", `a${"-".repeat(70)}`, "b"),
      { style: "bare" },
      "boundless-64 boundless-63",
    ],
    ["that clients keep for themselves", docs("no_tool", "python", "x"), { style: "bare" }, "keeps-some"],
    ["that start as clients' do", docs("search", "onym_search", "mcp_x"), { style: "bare" }, ""],
    [
      "in toolboxes",
      [{ toolbox: "dev", server: "fs", tools: ["read", "read_it", long] }, plain],
      {},
      "boundless-64 boundless-63",
    ],
    ["with a pin", [plain], pinned("find"), ""],
    ["with a pin that few can keep", [plain], pinned("find it"), MANY],
    ["with a pin that some can keep", [plain], pinned("find-it"), "boundless-63 no-hyphens"],
    ["with some kept from all", [plain], { reserved: new Map([["docs_read", "a test"]]) }, MANY],
    ["with dots between", [plain], { style: "dotted" }, "boundless-64 boundless-63"],
    ["that are canonical", [plain], { style: "canonical" }, "boundless-64 boundless-63"],
    [
      "that some have on record",
      docs("read.it", "find"),
      { lock: lockOf(docs("read.it")), locked: ["openai", "mcp"] },
      "boundless-64 boundless-63",
    ],
  ])("are all told, and no others, %s", (_, sources, setting, tables) => {
    const { boundless, full, variants } = tell(sources, setting);
    const canonical = buildCatalog(sources).tools.map((tool) => `${tool.canonical} = ${tool.canonical}`);
    const told = new Set([...entriesOf(variants), ...canonical]);
    const all = new Set([...tableEntries(full), ...canonical]);
    expect([...all].filter((entry) => !told.has(entry))).toEqual([]);
    const possible = new Set([...all, ...tableEntries(boundless)]);
    expect([...told].filter((entry) => !possible.has(entry))).toEqual([]);
    // Of other profiles no table is made, but for that of `openai`, which is made anyway.
    const { asked } = tell(sources, { ...setting, profiles: OWN });
    if (tables !== MANY) expect(asked.filter((id) => id !== "openai").join(" ")).toBe(tables);
  });

  it("are told again by no variant that has nothing new", () => {
    const profiles = PROFILES.filter(({ id }) => id.startsWith("most-"));
    const tellings = (...tools: readonly string[]): readonly string[][] => {
      const { variants } = tell(docs(...tools), { profiles });
      const withoutDigests = (name: string): string => name.replace(/_[a-z2-7]{8}$/, "_#");
      return variants.map(({ named }) => named.map(({ name }) => withoutDigests(name)));
    };
    expect(tellings("search", "read").flat()).toEqual(["docs_read", "docs_search"]);
    // Limits of 40, 31, 30, 24, 22, 21, 20, 13 and 12; 11 is too little for names.
    expect(tellings("search", long)).toEqual([
      [`docs_${long}`, "docs_search"],
      ["list_all_users_of_the_whole_#"],
      ["list_all_users_of_the_#"],
      [],
      ["list_all_users_#"],
      ["list_all_#"],
      [],
      [],
      ["list_#"],
      ["lis_#"],
    ]);
  });

  it("are told again only where another table had to be made", () => {
    const profiles = ["most-30", "no-double", "no-hyphens"].map(profileNamed);
    const { variants } = tell(docs("read__it", "read-it", long), { profiles });
    const names = variants.map(({ named }) => named.map(({ name }) => name.replace(/_[a-z2-7]{8}$/, "_#")));
    const cut = "list_all_users_of_the_#";
    // The table with hyphens and what its profiles change, then what is new in the one without.
    expect(names).toEqual([
      [`docs_${long}`, "docs_read-it", "docs_read__it"],
      [cut],
      ["docs_read_it"],
      ["docs_read_it"],
      [cut],
    ]);
  });

  it.each([
    [
      "a pin that only some can keep",
      pinned("find.it"),
      ["search", "read"],
      "boundless-64 with-dots most-30",
    ],
    ["a pin that none can keep", pinned("find it"), ["search", "read"], "boundless-64 with-dots most-30"],
    ["more tools than some take", {}, [...Array(129).keys()].map((at) => `find_${at}`), ""],
  ])("are told with %s", (_, setting, tools, tables) => {
    const profiles = ["openai", "with-dots", "most-30"].map(profileNamed);
    const { asked, full, variants } = tell(docs(...tools), { ...setting, profiles });
    const told = new Set(entriesOf(variants));
    expect(tableEntries(full).filter((entry) => !told.has(entry))).toEqual([]);
    expect(asked.filter((id) => id !== "openai").join(" ")).toBe(tables);
  });

  it("are told with a number where a client keeps for itself what is left of one", () => {
    const picky: Profile = {
      ...openai,
      id: "picky",
      rules: { ...openai.rules, reserved: ["other", "no_tool"], maxLength: 20 },
    };
    const source = { server: "s", integration: "no", alias: "acme-cloud-services", tools: ["no_tool"] };
    const { full, variants } = tell([source], { profiles: [picky] });
    expect(tableEntries(full)).toEqual(["no_tool_2 = no@1/no_tool@1"]);
    expect(entriesOf(variants)).toEqual([
      "acme-cloud-services_no_tool = no@1/no_tool@1",
      ...tableEntries(full),
    ]);
  });

  it("are told where a client takes any character but not any length", () => {
    const { variants } = tell(docs(long), {
      profiles: [own("any-40", "^[\\s\\S]{1,40}$")],
      keepsCanonical: true,
    });
    expect(entriesOf(variants)).toEqual([
      expect.stringMatching(/^list_all_users_of_the_whole_[a-z2-7]{8} = /),
    ]);
  });

  it("are told in their style, and not where they are canonical names anyway", () => {
    const { variants } = tell([plain], { profiles: [findProfile("canonical") as Profile] });
    expect(variants).toEqual([{ style: "canonical", named: [] }]);
    const none = tell([plain], { profiles: [findProfile("canonical") as Profile], keepsCanonical: true });
    expect([none.asked, none.variants]).toEqual([[], []]);
  });
});

/** What is on record after every profile was asked for its names. */
function lockOf(sources: readonly ToolSource[]): Lock {
  const tables = listProfiles().map((profile) => buildNamingTable(buildCatalog(sources), profile));
  return { profiles: new Map(tables.map((table) => [table.lockKey, table.nextLock()])), tools: new Map() };
}

it("are told in steps: others have their turn between the names of one profile (SAFE-4)", () => {
  const tools = Array.from({ length: 1_000 }, (_, n) => `${n}_${long}`);
  const catalog = buildCatalog(docs(...tools));
  const variants = nameVariants({
    profiles: PROFILES,
    as: "onym",
    // biome-ignore lint/correctness/useYield: a table in one step
    *tableSteps(profile) {
      return buildNamingTable(catalog, profile);
    },
    isLocked: () => false,
  });
  // Each is made of a thousand tools; those that change no name, or are a whole table, take one step here.
  const told = [...variants];
  const made = told.filter((variant) => variant !== undefined);
  expect(told.length).toBeGreaterThan(10 * made.length);
});
