import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { findProfile } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";
import { buildNamingTable, type NamingOptions, type NamingTable } from "../build-naming-table.js";
import type { Lock } from "../lock/lock.js";

const keyOf = (server: string, raw: string): ToolKey => toolKeyOf({ server, raw });
const pinned = (pins: Readonly<Record<string, ToolKey>>) => ({ pins: new Map(Object.entries(pins)) });

function build(sources: readonly ToolSource[], profile: string, options: NamingOptions = {}): NamingTable {
  return buildNamingTable(buildCatalog(sources), findProfile(profile) as Profile, options);
}

function namesOf({ tools }: NamingTable): Readonly<Record<string, string>> {
  return Object.fromEntries(tools.map(({ name, tool }) => [tool.canonical, name]));
}

/** What a lock has after tables of these sources were given out. */
function lockOf(
  sources: readonly ToolSource[],
  profiles: readonly string[],
  options: NamingOptions = {},
): Lock {
  const tables = profiles.map((profile) => build(sources, profile, options));
  const tools = buildCatalog(sources).tools.map(
    ({ key, canonical }) => [key, { canonical, digest: "" }] as const,
  );
  return {
    profiles: new Map(tables.map((table) => [table.lockKey, table.nextLock()])),
    tools: new Map(tools),
  };
}

const codesOf = ({ problems }: NamingTable) => problems.map(({ code }) => code);

describe("pins (NAME-1) (NAME-4)", () => {
  const docs: ToolSource[] = [{ server: "docs", tools: ["find", "search"] }];
  const lock = lockOf(docs, ["openai"]);

  it("do not take a name that is on record for another tool, that the gateway uses, or that nobody may have", () => {
    for (const name of ["docs_find", "find_tools", "onym_use_tool"]) {
      const ownNames = ["find_tools", "use_tool"];
      const table = build(docs, "openai", { lock, ownNames, ...pinned({ [name]: keyOf("docs", "search") }) });
      expect(codesOf(table)).toEqual(["pin-taken"]);
      expect(namesOf(table)).toEqual({ "docs@1/find@1": "docs_find", "docs@1/search@1": "docs_search" });
    }
    const illegal = build(docs, "openai", { lock, ...pinned({ "a b": keyOf("docs", "search") }) });
    expect(codesOf(illegal)).toEqual(["pin-illegal"]);
  });

  it("rename a tool that has a name on record, and keep that one for it", () => {
    const table = build(docs, "openai", { lock, ...pinned({ s: keyOf("docs", "search") }) });
    expect(namesOf(table)).toEqual({ "docs@1/find@1": "docs_find", "docs@1/search@1": "s" });
    expect(table.tools.map(({ why }) => why.kind)).toEqual(["wish", "pinned"]);
    expect(table.nextLock().names.get("docs_search")).toEqual({
      key: keyOf("docs", "search"),
      retired: "renamed",
    });
    expect(table.has("docs_search")).toBe(true);
    expect(table.problems).toEqual([]);
  });

  it("may be the name that the tool has already, and leave tools alone that are not there", () => {
    const own = build(docs, "openai", { lock, ...pinned({ docs_search: keyOf("docs", "search") }) });
    expect(own.tools.map(({ name, why }) => [name, why.kind])).toEqual([
      ["docs_find", "wish"],
      ["docs_search", "pinned"],
    ]);
    const nobody = build(docs, "openai", pinned({ x: keyOf("docs", "gone") }));
    expect([codesOf(nobody), nobody.toolNamed("x")]).toEqual([[], undefined]);
  });

  it("are refused where a client would confuse two of them, or one with a name on record (RULE-5)", () => {
    const two = build(
      docs,
      "roo-code",
      pinned({ "a-b": keyOf("docs", "find"), a_b: keyOf("docs", "search") }),
    );
    expect(codesOf(two)).toEqual(["pin-taken"]);
    expect(namesOf(two)).toEqual({ "docs@1/find@1": "a-b", "docs@1/search@1": "docs_search" });
    const recorded = lockOf(docs, ["roo-code"]);
    const near = build(docs, "roo-code", {
      lock: recorded,
      ...pinned({ "docs-find": keyOf("docs", "search") }),
    });
    expect(codesOf(near)).toEqual(["pin-taken"]);
    const own = build(docs, "roo-code", {
      lock: recorded,
      ...pinned({ "docs-find": keyOf("docs", "find") }),
    });
    expect(namesOf(own)["docs@1/find@1"]).toBe("docs-find");
  });

  it("do not take another tool's canonical name (CANON-7)", () => {
    const table = build(docs, "canonical", pinned({ "docs@1/find@1": keyOf("docs", "search") }));
    expect(codesOf(table)).toEqual(["pin-taken"]);
    const own = build(docs, "canonical", pinned({ "docs@1/find@1": keyOf("docs", "find") }));
    expect(own.tools.map(({ why }) => why.kind)).toEqual(["pinned", "wish"]);
  });
});

describe("why a tool has a number (RES-5)", () => {
  const whyOf = (table: NamingTable, canonical: string) =>
    table.tools.find(({ tool }) => tool.canonical === canonical)?.why;

  it("names who has the name it wished for: a tool, one that is gone, the gateway, a rename", () => {
    const two: ToolSource[] = [{ server: "a", tools: ["x.y", "x/y"] }];
    expect(whyOf(build(two, "openai"), "a@1/x/y@1")).toEqual({
      kind: "numbered",
      wish: "a_x_y",
      takenBy: "a@1/x.y@1",
    });
    const lock = lockOf([{ server: "a", tools: ["x.y"] }], ["openai"]);
    const later: ToolSource[] = [{ server: "a", tools: ["x_y"] }];
    expect(whyOf(build(later, "openai", { lock }), "a@1/x_y@1")).toMatchObject({ takenBy: "a@1/x.y@1" });
    const own = build([{ server: "a", tools: ["use_tool"] }], "openai", {
      style: "bare",
      ownNames: ["use_tool"],
    });
    expect(whyOf(own, "a@1/use_tool@1")).toMatchObject({ wish: "use_tool", takenBy: "the gateway itself" });
    const reserved = new Map([["a_x_y", keyOf("a", "z")]]);
    const renamed = build([{ server: "a", tools: ["x_y", "z"] }], "openai", { reserved });
    expect(whyOf(renamed, "a@1/x_y@1")).toMatchObject({ takenBy: "the declared rename to a@1/z@1" });
  });

  it("names the tool whose name the client would take for it (RULE-5)", () => {
    const table = build([{ server: "x", tools: ["a-b", "a_b"] }], "roo-code");
    expect(whyOf(table, "x@1/a_b@1")).toEqual({ kind: "numbered", wish: "x_a_b", takenBy: "x@1/a-b@1" });
  });

  it("names the tool whose canonical name it is (CANON-7)", () => {
    const sources: ToolSource[] = [
      { server: "evil", tools: ["mail@1/send@1"] },
      { server: "mail", tools: ["send"] },
    ];
    const table = build(sources, "canonical", { style: "bare" });
    expect(namesOf(table)).toEqual({ "evil@1/mail@1/send@1@1": "mail@1/send@1_2", "mail@1/send@1": "send" });
    expect(whyOf(table, "evil@1/mail@1/send@1@1")).toMatchObject({ takenBy: "mail@1/send@1" });
  });
});

describe("names on record (LOCK-1) (NAME-4)", () => {
  it("stay, with what the tool would be called today", () => {
    const lock = lockOf([{ server: "a", tools: ["x.y", "x/y"] }], ["openai"]);
    const alone = build([{ server: "a", tools: ["x/y"] }], "openai", { lock });
    expect(alone.tools).toMatchObject([{ name: "a_x_y_2", why: { kind: "locked", wish: "a_x_y" } }]);
  });

  it("of another profile are nobody else's where the whole lock counts (LIB-4)", () => {
    const lock = lockOf([{ server: "a", tools: ["x.y"] }], ["cursor"]);
    const sources: ToolSource[] = [{ server: "a", tools: ["x_y"] }];
    expect(namesOf(build(sources, "openai", { lock }))).toEqual({ "a@1/x_y@1": "a_x_y" });
    const whole = build(sources, "openai", { lock, scope: "lock" });
    expect(whole.tools).toMatchObject([
      { name: "a_x_y_2", why: { kind: "numbered", wish: "a_x_y", takenBy: "a@1/x.y@1" } },
    ]);
    const pin = build(sources, "openai", { lock, scope: "lock", ...pinned({ a_x_y: keyOf("a", "x_y") }) });
    expect(codesOf(pin)).toEqual(["pin-taken"]);
    const back = build([{ server: "a", tools: ["x.y"] }], "openai", { lock, scope: "lock" });
    expect(namesOf(back)).toEqual({ "a@1/x.y@1": "a_x_y" });
  });

  it("that have become another tool's canonical name lead to neither, with pins or without (CANON-7)", () => {
    const evil: ToolSource = { server: "evil", tools: ["mail@1/send@1"] };
    const sources: ToolSource[] = [evil, { server: "mail", tools: ["send"] }];
    const lock = lockOf([evil], ["canonical"], { style: "bare" });
    for (const more of [{}, pinned({ s: keyOf("mail", "send") })]) {
      const table = build(sources, "canonical", { lock, style: "bare", ...more });
      expect(codesOf(table)).toEqual(["locked-name-ambiguous"]);
      expect(table.problems[0]?.tools).toEqual(["evil@1/mail@1/send@1@1", "mail@1/send@1"]);
      expect(namesOf(table)["evil@1/mail@1/send@1@1"]).toBe("mail@1/send@1_2");
      expect(table.toolNamed("mail@1/send@1")).toBeUndefined();
      expect(table.has("mail@1/send@1")).toBe(true);
    }
  });

  it("of another style are kept for their tools and given to nobody", () => {
    const lock = lockOf([{ server: "a", tools: ["x"] }], ["mcp"]);
    const table = build(
      [
        { server: "a", tools: ["x"] },
        { server: "b", tools: ["a_x"] },
      ],
      "mcp",
      { lock, style: "bare" },
    );
    expect(namesOf(table)).toEqual({ "a@1/x@1": "x", "b@1/a_x@1": "a_x_2" });
    expect(table.toolNamed("a_x")).toBeUndefined();
    expect(table.problems).toEqual([]);
  });

  it("that the rules no longer allow are given up and kept, with pins or without", () => {
    const key = keyOf("a", "x");
    const lock: Lock = {
      profiles: new Map([["openai", { style: "flat", names: new Map([["a.x", { key }]]) }]]),
      tools: new Map(),
    };
    const sources: ToolSource[] = [{ server: "a", tools: ["x", "y"] }];
    for (const more of [{}, pinned({ p: keyOf("a", "y") })]) {
      const table = build(sources, "openai", { lock, ...more });
      expect(codesOf(table)).toEqual(["locked-name-illegal"]);
      expect(namesOf(table)["a@1/x@1"]).toBe("a_x");
      expect([table.has("a.x"), table.toolNamed("a.x")]).toEqual([true, undefined]);
      expect(table.nextLock().names.get("a.x")).toEqual({ key, retired: "renamed" });
    }
  });

  it("that are declared to be old ones of another tool are given up", () => {
    const lock = lockOf([{ server: "a", tools: ["x"] }], ["openai"]);
    const sources: ToolSource[] = [{ server: "a", tools: ["x", "z"] }];
    const kept = build(sources, "openai", { lock, reserved: new Map([["a_x", keyOf("a", "z")]]) });
    // It is on record for another tool in this very profile, so the declaration does not count here.
    expect(namesOf(kept)).toEqual({ "a@1/x@1": "a_x", "a@1/z@1": "a_z" });
    const own = build(sources, "openai", { lock, reserved: new Map([["a_x", keyOf("a", "x")]]) });
    expect(namesOf(own)["a@1/x@1"]).toBe("a_x");
  });

  it("that are former ones stay with their tool, and are not given out again", () => {
    const key = keyOf("a", "x");
    const sources: ToolSource[] = [{ server: "a", tools: ["x"] }];
    for (const names of [
      new Map([["old", { key, retired: "renamed" as const }]]),
      new Map([
        ["old", { key, retired: "renamed" as const }],
        ["a_x", { key }],
      ]),
    ]) {
      const lock: Lock = { profiles: new Map([["openai", { style: "flat", names }]]), tools: new Map() };
      const table = build(sources, "openai", { lock });
      expect(namesOf(table)).toEqual({ "a@1/x@1": "a_x" });
      expect([table.has("old"), table.toolNamed("old")]).toEqual([true, undefined]);
      expect(table.problems).toEqual([]);
    }
  });

  it("of which a tool has several: the one it wishes for is its name, else the first (LOCK-5)", () => {
    const key = keyOf("a", "x");
    const tableWith = (...names: readonly string[]) => {
      const locked = new Map(names.map((name) => [name, { key }] as const));
      const lock: Lock = {
        profiles: new Map([["openai", { style: "flat", names: locked }]]),
        tools: new Map(),
      };
      return build([{ server: "a", tools: ["x"] }], "openai", { lock });
    };
    for (const [names, given] of [
      [["a_x_2", "a_x"], "a_x"],
      [["a_x", "a_x_2"], "a_x"],
      [["b", "c"], "b"],
    ] as const) {
      const table = tableWith(...names);
      expect(namesOf(table)).toEqual({ "a@1/x@1": given });
      expect(table.problems).toEqual([]);
      for (const name of names) {
        expect(table.has(name)).toBe(true);
        expect(table.toolNamed(name)?.key).toBe(name === given ? key : undefined);
      }
    }
  });

  it("that are declared to be those of a tool that is not there are given up", () => {
    const lock = lockOf([{ server: "a", tools: ["x"] }], ["openai"]);
    const reserved = new Map([["a_x", keyOf("a", "gone")]]);
    for (const more of [{}, pinned({ p: keyOf("a", "y") })]) {
      const table = build([{ server: "a", tools: ["x", "y"] }], "openai", { lock, reserved, ...more });
      expect(namesOf(table)["a@1/x@1"]).toBe("a_x_2");
      expect(codesOf(table)).toEqual(["locked-name-illegal"]);
    }
  });
});

describe("names that are kept (NAME-4)", () => {
  const docs: ToolSource[] = [{ server: "docs", tools: ["find", "search"] }];
  const key = keyOf("docs", "find");

  it("for one tool go to it where it wishes for them, and lead to it", () => {
    for (const lock of [undefined, lockOf(docs, ["openai"])]) {
      const table = build(docs, "openai", { reserved: new Map([["docs_find", key]]), ...(lock && { lock }) });
      expect(namesOf(table)["docs@1/find@1"]).toBe("docs_find");
      expect(table.toolNamed("docs_find")?.key).toBe(key);
    }
  });

  it("stay free where the tool of a pin is not there; of two pins of one tool the first counts", () => {
    const nobody = build(docs, "openai", pinned({ x: keyOf("docs", "gone"), y: key }));
    expect([nobody.has("x"), nobody.has("y")]).toEqual([false, true]);
    const twice = build(docs, "openai", pinned({ b: key, a: key }));
    expect(namesOf(twice)["docs@1/find@1"]).toBe("b");
    expect([twice.toolNamed("b")?.key, twice.toolNamed("a"), twice.has("a")]).toEqual([
      key,
      undefined,
      false,
    ]);
    expect(twice.tools).toHaveLength(2);
  });
});
