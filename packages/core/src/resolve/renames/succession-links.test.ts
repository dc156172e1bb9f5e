import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { createCanonicalFinder } from "../../catalog/find-canonical.js";
import type { ToolSource } from "../../catalog/source.js";
import { partsOfKey, type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import type { Lock, LockedTool } from "../../naming/lock/lock.js";
import type { Rename } from "./rename-window.js";
import { buildSuccessions } from "./successions.js";

/** `toolbox/server/raw`, or `server/raw`. */
const keyOf = (path: string): ToolKey => {
  const [raw = "", server = "", toolbox] = path.split("/").reverse();
  return toolKeyOf({ toolbox, server, raw });
};
const pathOf = (key: ToolKey): string => {
  const { toolbox, server, raw } = partsOfKey(key);
  return [...(toolbox === undefined ? [] : [toolbox]), server, raw].join("/");
};

/** Tools on record, with who they became behind `>`. */
function lockOf(...lines: readonly string[]): Lock {
  const tools = lines.map((line): [ToolKey, LockedTool] => {
    const [path = "", successor] = line.split(">");
    const { toolbox, server, raw } = partsOfKey(keyOf(path));
    const canonical = `${toolbox === undefined ? "" : `${toolbox}:`}${server}@1/${raw}@1`;
    const known: LockedTool = { canonical, digest: "" };
    return [keyOf(path), successor === undefined ? known : { ...known, successor: keyOf(successor) }];
  });
  return { profiles: new Map(), tools: new Map(tools) };
}

interface Setting {
  readonly sources?: readonly ToolSource[];
  readonly lock?: Lock;
  readonly renames?: readonly Rename[];
  readonly absent?: readonly string[];
}

/** Who became whom, and what is wrong. */
function build({ sources = [], lock = lockOf(), renames = [], absent = [] }: Setting) {
  const catalog = buildCatalog(sources);
  const isAbsent = (key: ToolKey): boolean => absent.includes(partsOfKey(key).server);
  const findCanonical = createCanonicalFinder(catalog, lock.tools, isAbsent);
  const built = buildSuccessions({ catalog, sources, renames, lock, findCanonical, isAbsent });
  return {
    links: [...built.successions].map(([from, to]) => `${pathOf(from)}>${pathOf(to)}`),
    codes: built.problems.map(({ code }) => code),
    canonicals: [...built.canonicals].map(([key, canonical]) => `${pathOf(key)} ${canonical}`),
    owners: [...built.owners].map(([from, { canonical }]) => `${from} ${canonical}`),
  };
}

const rename = (from: string, to: string): Rename => ({ from, to });
const crm = (...tools: readonly string[]): ToolSource => ({ server: "crm", tools });

describe("who became whom on record (LOCK-5)", () => {
  it("is a line without branches and circles, whatever a hand wrote", () => {
    expect(build({ lock: lockOf("s/a>s/b", "s/b>s/c") }).links).toEqual(["s/a>s/b", "s/b>s/c"]);
    expect(build({ lock: lockOf("s/a>s/b", "s/b>s/a") }).links).toEqual(["s/a>s/b"]);
    expect(build({ lock: lockOf("s/a>s/b", "s/b>s/c", "s/c>s/a") }).links).toEqual(["s/a>s/b", "s/b>s/c"]);
    expect(build({ lock: lockOf("s/a>s/a") }).links).toEqual([]);
    expect(build({ lock: lockOf("s/a>s/c", "s/b>s/c") }).links).toEqual(["s/a>s/c"]);
  });

  it("is nothing where nothing is declared", () => {
    expect(build({ sources: [{ ...crm("a"), formerly: [] }] })).toEqual({
      links: [],
      codes: [],
      canonicals: [],
      owners: [],
    });
  });
});

describe("who becomes whom by a declared rename (LOCK-5)", () => {
  it.each<[string, Setting, readonly string[], readonly string[]]>([
    [
      "of a tool on record",
      { lock: lockOf("crm/old"), renames: [rename("crm@1/old@1", "crm@1/new@1")] },
      ["crm/old>crm/new"],
      [],
    ],
    ["of one that nobody recorded", { renames: [rename("crm/old", "crm@1/new@1")] }, ["crm/old>crm/new"], []],
    ["to a tool that is nowhere", { renames: [rename("crm@1/old@1", "other@1/x@1")] }, [], []],
    ["of a text that was no tool", { renames: [rename("old", "crm@1/new@1")] }, [], []],
    ["of a tool that is there", { renames: [rename("crm@1/kept@1", "crm@1/new@1")] }, [], []],
    [
      "of a server that does not answer",
      { lock: lockOf("web/old"), absent: ["web"], renames: [rename("web@1/old@1", "crm@1/new@1")] },
      [],
      [],
    ],
    [
      "to one that was renamed before it was there",
      { renames: [rename("crm@1/a@1", "crm@1/b@1"), rename("crm@1/b@1", "crm@1/new@1")] },
      ["crm/a>crm/b", "crm/b>crm/new"],
      [],
    ],
    [
      "that was changed to lead to the newest name",
      { lock: lockOf("crm/a>crm/b", "crm/b"), renames: [rename("crm@1/a@1", "crm@1/new@1")] },
      ["crm/a>crm/b", "crm/b>crm/new"],
      [],
    ],
    [
      "that is on record already",
      { lock: lockOf("crm/old>crm/new"), renames: [rename("crm@1/old@1", "crm@1/new@1")] },
      ["crm/old>crm/new"],
      [],
    ],
    [
      "declared twice",
      { renames: [rename("crm@1/old@1", "crm@1/new@1"), rename("crm/old", "crm@1/new@1")] },
      ["crm/old>crm/new"],
      [],
    ],
    [
      "of two tools to one",
      { renames: [rename("crm@1/a@1", "crm@1/new@1"), rename("crm@1/b@1", "crm@1/new@1")] },
      [],
      ["rename-claimed-twice", "rename-claimed-twice"],
    ],
    [
      "of one tool to two",
      { renames: [rename("crm@1/a@1", "crm@1/new@1"), rename("crm@1/a@1", "crm@1/kept@1")] },
      [],
      ["rename-claimed-twice", "rename-claimed-twice"],
    ],
    [
      "to one that another became on record",
      { lock: lockOf("crm/a>crm/new"), renames: [rename("crm@1/b@1", "crm@1/new@1")] },
      ["crm/a>crm/new"],
      ["rename-claimed-twice"],
    ],
    [
      "in a circle of two, and one beside it",
      {
        renames: [
          rename("crm@1/a@1", "crm@1/b@1"),
          rename("crm@1/b@1", "crm@1/a@1"),
          rename("crm@1/old@1", "crm@1/new@1"),
        ],
      },
      ["crm/old>crm/new"],
      ["rename-circle", "rename-circle"],
    ],
    [
      "into a circle that it is no part of",
      {
        renames: [
          rename("crm@1/x@1", "crm@1/a@1"),
          rename("crm@1/a@1", "crm@1/b@1"),
          rename("crm@1/b@1", "crm@1/a@1"),
        ],
      },
      [],
      ["rename-claimed-twice", "rename-circle", "rename-circle"],
    ],
  ])("%s", (_, setting, links, codes) => {
    const built = build({ sources: [crm("new", "kept"), { server: "web", tools: [] }], ...setting });
    expect([built.links, built.codes]).toEqual([links, codes]);
  });

  it("of several tools that are gone is not guessed, unless it is settled already", () => {
    const boxed = ["dev", "ops"].map((toolbox): ToolSource => ({ toolbox, server: "fs", tools: ["new"] }));
    const lock = lockOf("dev/fs/old", "ops/fs/old");
    const to = (target: string) =>
      build({ sources: [...boxed, crm("new")], lock, renames: [rename("fs@1/old@1", target)] });
    expect([to("crm@1/new@1").links, to("crm@1/new@1").codes]).toEqual([[], ["rename-from-several"]]);
    expect([to("dev:fs@1/new@1").links, to("dev:fs@1/new@1").codes]).toEqual([["dev/fs/old>dev/fs/new"], []]);
    expect(to("nobody@1/x@1").codes).toEqual([]);
    expect(to("fs@1/new@1").codes).toEqual([]);
    const settled = lockOf("dev/fs/old", "ops/fs/old", "crm/first>crm/new");
    const again = build({
      sources: [...boxed, crm("new")],
      lock: settled,
      renames: [rename("fs@1/old@1", "crm@1/new@1")],
    });
    expect([again.links, again.codes]).toEqual([["crm/first>crm/new"], []]);
  });

  it("says what the old tool was called, in full", () => {
    const built = build({ sources: [crm("new")], renames: [rename("crm/old", "crm@1/new@1")] });
    expect(built.canonicals).toEqual(["crm/old crm@1/old@1"]);
    const profiles: Lock["profiles"] = new Map([
      ["openai", { style: "flat", names: new Map([["crm_old", { key: keyOf("crm/old") }]]) }],
    ]);
    const publicly = build({
      sources: [crm("new")],
      lock: { ...lockOf("crm/old"), profiles },
      renames: [rename("crm_old", "crm@1/new@1")],
    });
    expect([publicly.links, publicly.canonicals]).toEqual([["crm/old>crm/new"], []]);
  });

  it("is about nothing where what it calls old became a tool that is there", () => {
    const built = build({
      sources: [crm("new", "kept")],
      lock: lockOf("crm/old>crm/kept"),
      renames: [rename("crm@1/old@1", "crm@1/new@1")],
    });
    expect(built).toMatchObject({
      links: ["crm/old>crm/kept"],
      codes: [],
      owners: ["crm@1/old@1 crm@1/kept@1"],
    });
  });
});

describe("a server with another id (LOCK-5)", () => {
  const moved = (formerly: readonly string[], ...tools: readonly string[]): ToolSource => ({
    server: "new",
    formerly,
    tools,
  });

  it.each<[string, Setting, readonly string[], readonly string[]]>([
    [
      "has the tools on record of the former one",
      { sources: [moved(["old"], "x")], lock: lockOf("old/x", "old/y", "web/z") },
      ["old/x>new/x", "old/y>new/y"],
      [],
    ],
    [
      "has its own tools where no lock is",
      { sources: [moved(["old"], "y", "x"), crm("z")] },
      ["old/x>new/x", "old/y>new/y"],
      [],
    ],
    [
      "has those of several ids in a row",
      { sources: [moved(["a", "b"], "x")], lock: lockOf("a/x", "b/y") },
      ["a/x>b/x", "b/x>new/x", "a/y>b/y", "b/y>new/y"],
      [],
    ],
    ["is told of each id once", { sources: [moved(["old", "old"], "x")] }, ["old/x>new/x"], []],
    ["was not itself formerly", { sources: [moved(["new"], "x")] }, [], []],
    ["was not one that is there", { sources: [moved(["crm"], "x"), crm("x")] }, [], ["formerly-live"]],
    [
      "was not what another says to have been",
      { sources: [moved(["old"], "x"), { ...crm("x"), formerly: ["old"] }] },
      [],
      ["formerly-claimed-twice", "formerly-claimed-twice"],
    ],
    [
      "was another in its toolbox alone",
      {
        sources: [{ ...moved(["old"], "x"), toolbox: "dev" }],
        lock: lockOf("dev/old/x", "old/y", "ops/old/z"),
      },
      ["dev/old/x>dev/new/x"],
      [],
    ],
    [
      "was the same as one in another toolbox",
      {
        sources: [
          { ...moved(["old"], "x"), toolbox: "dev" },
          { ...moved(["old"], "x"), toolbox: "ops" },
        ],
      },
      ["dev/old/x>dev/new/x", "ops/old/x>ops/new/x"],
      [],
    ],
    [
      "was one that is there in another toolbox only",
      { sources: [moved(["old"], "x"), { toolbox: "dev", server: "old", tools: ["x"] }] },
      ["old/x>new/x"],
      [],
    ],
    [
      "has what a tool became before it was recorded",
      { sources: [moved(["old"])], lock: lockOf("old/a>old/b") },
      ["old/a>new/a", "new/a>old/b", "old/b>new/b"],
      [],
    ],
  ])("%s", (_, setting, links, codes) => {
    const built = build(setting);
    expect([[...built.links].sort(), built.codes]).toEqual([[...links].sort(), codes]);
  });

  it("names what waits for it by what it would be called", () => {
    expect(build({ sources: [moved(["a", "b"])], lock: lockOf("a/x") }).canonicals).toEqual([
      "new/x new@1/x@1",
    ]);
  });
});
