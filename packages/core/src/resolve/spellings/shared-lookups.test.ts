import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { runSteps } from "../../names/steps.js";
import { buildNamingTable, namingTableSteps } from "../../naming/build-naming-table.js";
import { buildLineage } from "../../naming/lock/lineage.js";
import { EMPTY_LOCK, type Lock } from "../../naming/lock/lock.js";
import { profileOf } from "../../profiles/find-profile.js";
import { type Claim, isSeveral } from "./claims.js";
import { goneSpellingSteps } from "./gone-spellings.js";
import { createSharedLookups, type SharedLookups } from "./shared-lookups.js";

function lookups(
  sources: readonly ToolSource[],
  more: {
    lock?: Lock;
    texts?: readonly string[];
    declared?: readonly string[];
    successions?: [string, string];
  } = {},
): SharedLookups {
  const catalog = buildCatalog(sources);
  const { lock = EMPTY_LOCK, texts = [], declared = [], successions } = more;
  const links = successions === undefined ? [] : [successions.map((raw) => toolKeyOf({ server: "s", raw }))];
  const lineage = buildLineage(new Map(links as never), (key) => catalog.toolWithKey(key) !== undefined);
  return createSharedLookups({
    catalog,
    former: new Map(),
    formerByProfile: new Map(),
    declared: new Map(declared.map((text) => [text, true])),
    lock,
    lineage,
    gone: () => goneSpellingSteps({ catalog, lock, lineage, isAbsent: () => false }),
    advertised: [() => namingTableSteps(catalog, profileOf("openai"), {})],
    variants: () => [],
    texts: () => texts,
  });
}

const told = (claim: Claim | undefined): readonly string[] =>
  claim === undefined ? [] : (isSeveral(claim) ? [...claim] : [claim]).map(({ canonical }) => canonical);

describe("a text with a character that stands in nobody's names (RES-1)", () => {
  const plain: ToolSource = { server: "s", tools: ["x", "y"] };
  it.each<[string, readonly ToolSource[], readonly string[], string]>([
    ["no tool has one", [], [], "@%~"],
    ["plain tools", [plain], [], "@%~"],
    ["a tool has one", [plain, { server: "t", tools: ["a", "b@c"] }], [], "%~"],
    ["a server has one", [plain, { server: "t%", tools: ["a"] }], [], "@~"],
    ["another text has one", [plain], ["a", "~"], "@%"],
    ["all have one", [{ server: "%", tools: ["@"] }], ["~"], ""],
  ])("is foreign: %s", (_, sources, texts, foreign) => {
    const { isForeign } = lookups(sources, { texts });
    expect(["@", "%", "~", "a", ""].filter((text) => isForeign(`x${text}y`)).join("")).toBe(foreign);
  });
});

describe("the form of a loosely written canonical name (CANON-3)", () => {
  const { normalise } = lookups([
    { server: "s", tools: ["x", { name: "y", version: 12 }] },
    { server: "s2", integration: "s", version: 2, tools: ["x", { name: "y", version: 3 }] },
    { server: "s10", integration: "s", version: 10, tools: [{ name: "z", version: 2 }, "Y"] },
    { server: "s", toolbox: "dev", version: 7, tools: [{ name: "x", version: 4 }] },
  ]);

  it.each([
    ["s/x", "s@1/x@1"],
    ["s@1/x", "s@1/x@1"],
    ["s/x@1", "s@1/x@1"],
    ["s@1/x@1", "s@1/x@1"],
    ["s@v1/x@v1", "s@1/x@1"],
    ["s@v10/x", "s@10/x@1"],
    ["s@10/x@12", "s@10/x@12"],
    ["s@123/x@v9", "s@123/x@9"],
    ["dev:s/x", "dev:s@1/x@1"],
    ["dev:s@v2/x@2", "dev:s@2/x@2"],
    ["dev:s@2/x@10", "dev:s@2/x@10"],
    ["other/a.b/c", "other@1/a.b/c@1"],
  ])("%s is %s", (text, form) => {
    expect(normalise(text)).toEqual({ ok: true, value: form });
  });

  it.each([
    // The newest integration among those that have the tool; the newest tool inside one.
    ["s@latest/x", "s@2/x@1"],
    ["s@latest/x@latest", "s@7/x@4"],
    ["s@latest/y@latest", "s@2/y@3"],
    ["s@latest/y@12", "s@1/y@12"],
    ["s@latest/z@latest", "s@10/z@2"],
    ["s@1/y@latest", "s@1/y@12"],
    ["s@2/y@latest", "s@2/y@3"],
    ["s@3/y@latest", "s@3/y@1"],
    ["S@latest/X@1", "S@2/X@1"],
    ["s@latest/Y@latest", "s@10/Y@1"],
    ["dev:s@latest/x@latest", "dev:s@7/x@4"],
    ["dev:s@7/x@latest", "dev:s@7/x@4"],
    ["ops:s@latest/x@latest", "ops:s@1/x@1"],
    ["nobody@latest/x@latest", "nobody@1/x@1"],
  ])("%s is %s", (text, form) => {
    expect(normalise(text)).toEqual({ ok: true, value: form });
  });

  it.each(["x", "s@0/x", "s@01/x", "s@/x", "s@1.0/x@1"])("%s has none", (text) => {
    expect(normalise(text).ok).toBe(false);
  });
});

describe("a raw name in a context (RES-1)", () => {
  const boxed = (toolbox: string, server = "fs"): ToolSource => ({ toolbox, server, tools: ["read", "x"] });
  const { owned, exactly } = lookups([
    boxed("dev"),
    boxed("ops"),
    boxed("ops", "web"),
    { server: "fs", integration: "disk", tools: ["read", "only"] },
  ]);
  const canonicals = ["dev:fs@1/read@1", "disk@1/read@1", "ops:fs@1/read@1", "ops:web@1/read@1"];

  it.each<[string, { server?: string; toolbox?: string }, readonly string[]]>([
    ["only", {}, ["disk@1/only@1"]],
    ["only", { server: "fs" }, ["disk@1/only@1"]],
    ["only", { server: "web" }, []],
    ["only", { toolbox: "dev" }, []],
    ["none", {}, []],
    ["none", { server: "fs" }, []],
    ["read", {}, canonicals],
    ["read", { server: "fs" }, ["dev:fs@1/read@1", "disk@1/read@1", "ops:fs@1/read@1"]],
    ["read", { toolbox: "ops" }, ["ops:fs@1/read@1", "ops:web@1/read@1"]],
    ["read", { toolbox: "dev" }, ["dev:fs@1/read@1"]],
    ["read", { server: "fs", toolbox: "ops" }, ["ops:fs@1/read@1"]],
    ["read", { server: "web", toolbox: "dev" }, []],
  ])("%s in %j may be %j", (raw, context, expected) => {
    expect([...told(owned(raw, context))].sort()).toEqual([...expected].sort());
  });

  it("is exactly one tool's with a server, with or without a toolbox", () => {
    const exact = (raw: string, context: { server?: string; toolbox?: string }) =>
      exactly(raw, context)?.canonical;
    expect(exact("read", { server: "fs" })).toBe("disk@1/read@1");
    expect(exact("read", { server: "fs", toolbox: "ops" })).toBe("ops:fs@1/read@1");
    expect(exact("read", { server: "web" })).toBeUndefined();
    expect(exact("read", { toolbox: "ops" })).toBeUndefined();
    const renamed = lookups([{ server: "s", tools: ["new"] }], { successions: ["old", "new"] });
    expect(renamed.exactly("old", { server: "s" })?.raw).toBe("new");
  });
});

describe("what else leads to a tool (RES-1)", () => {
  it("is a name that its server gives it, but no longer than names are", () => {
    const described = (openai_name: unknown, cursor_name: unknown) =>
      lookups([{ server: "s", tools: [{ name: "x", openai_name, cursor_name } as { name: string }] }])
        .described;
    expect(described("o", "c")("o")).toHaveProperty("raw", "x");
    expect(described("o", "c")("c")).toHaveProperty("raw", "x");
    expect(described("o", "c")("x")).toBeUndefined();
    expect(described(7, { length: 1 })("7")).toBeUndefined();
    expect(described("a".repeat(1024), 7)("a".repeat(1024))).toHaveProperty("raw", "x");
    expect(described("a".repeat(1025), 7)("a".repeat(1025))).toBeUndefined();
  });

  it("is its server's id in place of the integration, in any case, with its toolbox", () => {
    const { serverFolded } = lookups([
      { server: "FS", integration: "disk", tools: ["Read"] },
      {
        server: "FS",
        toolbox: "Dev",
        integration: "disk",
        version: 2,
        tools: [{ name: "Read", version: 3 }],
      },
    ]);
    expect(told(serverFolded("fs/read"))).toEqual(["disk@1/Read@1"]);
    expect(told(serverFolded("fs@1/read@1"))).toEqual(["disk@1/Read@1"]);
    expect(told(serverFolded("dev:fs/read"))).toEqual(["Dev:disk@2/Read@3"]);
    expect(told(serverFolded("dev:fs@2/read@3"))).toEqual(["Dev:disk@2/Read@3"]);
    expect(told(serverFolded("FS/read"))).toEqual([]);
  });

  it("is its canonical name without a toolbox, only where it has one", () => {
    const { unboxed, unboxedFolded } = lookups([
      { server: "a", tools: ["x"] },
      { server: "b", toolbox: "dev", tools: ["X"] },
    ]);
    expect([told(unboxed("a@1/x@1")), told(unboxed("b@1/X@1"))]).toEqual([[], ["dev:b@1/X@1"]]);
    expect([told(unboxedFolded("a@1/x@1")), told(unboxedFolded("b@1/x@1"))]).toEqual([[], ["dev:b@1/X@1"]]);
  });

  it("is a name that the caller's table has on record, with a warning, unless it is declared to be an old one", () => {
    const key = toolKeyOf({ server: "s", raw: "x" });
    const gone = toolKeyOf({ server: "s", raw: "gone" });
    const names = new Map([
      ["old", { key }],
      ["lost", { key: gone }],
    ]);
    const lock: Lock = { profiles: new Map([["openai", { style: "flat", names }]]), tools: new Map() };
    const sources: ToolSource[] = [{ server: "s", tools: ["x"] }];
    const { onRecord } = lookups(sources, { lock });
    expect(onRecord("openai", "old")).toMatchObject({
      canonical: "s@1/x@1",
      policy: "warn",
      tool: { raw: "x" },
    });
    expect([onRecord("openai", "lost"), onRecord("cursor", "old"), onRecord("openai", "s_x")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(lookups(sources, { lock, declared: ["old"] }).onRecord("openai", "old")).toBeUndefined();
  });

  it("is what another client shows for it, but for names that the caller is shown himself", () => {
    const sources: ToolSource[] = [{ server: "s", tools: ["a-b", "c"] }];
    const catalog = buildCatalog(sources);
    const table = buildNamingTable(catalog, profileOf("universal"));
    const beside = runSteps(lookups(sources).besideSteps(table));
    expect([...beside].map(([text, claim]) => [text, (claim as Tool).raw])).toEqual([["s_a-b", "a-b"]]);
  });
});
