import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { findProfile } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";
import { buildNamingTable, type NamingOptions } from "../build-naming-table.js";
import { EMPTY_LOCK, type Lock, type LockedName, type LockedTool } from "./lock.js";
import { nextLock } from "./next-lock.js";

const key = (raw: string): ToolKey => toolKeyOf({ server: "s", raw });
const x: LockedName = { key: key("x") };
const docs = (...tools: readonly string[]): readonly ToolSource[] => [{ server: "s", tools }];

function lockWith(names: readonly (readonly [string, LockedName])[]): Lock {
  return { profiles: new Map([["openai", { style: "flat", names: new Map(names) }]]), tools: new Map() };
}

function next(sources: readonly ToolSource[], lock: Lock, options: NamingOptions = {}): Lock {
  const catalog = buildCatalog(sources);
  const table = buildNamingTable(catalog, findProfile("openai") as Profile, { ...options, lock });
  return nextLock(lock, catalog, [table], ({ title = "" }) => `digest ${title}`);
}

const namesOf = (lock: Lock): readonly unknown[] =>
  [...(lock.profiles.get("openai")?.names ?? [])].map(([name, { key, retired }]) => [name, key, retired]);

describe("what is on record after a table was given out (LOCK-1)", () => {
  it.each<
    [string, readonly (readonly [string, LockedName])[], readonly string[], NamingOptions, readonly unknown[]]
  >([
    ["a name that stays", [["s_x", x]], ["x"], {}, [["s_x", x.key, undefined]]],
    ["a name that comes", [], ["x"], {}, [["s_x", x.key, undefined]]],
    ["a name whose tool is gone", [["s_x", x]], [], {}, [["s_x", x.key, "removed"]]],
    [
      "a name whose tool was not asked",
      [["s_x", x]],
      [],
      { absent: [{ server: "s" }] },
      [["s_x", x.key, undefined]],
    ],
    [
      "a name whose tool is back",
      [["s_x", { ...x, retired: "removed" }]],
      ["x"],
      {},
      [["s_x", x.key, undefined]],
    ],
    [
      "a name whose tool stays away",
      [["s_x", { ...x, retired: "removed" }]],
      [],
      {},
      [["s_x", x.key, "removed"]],
    ],
    [
      "a former name whose tool is gone",
      [["old", { ...x, retired: "renamed" }]],
      [],
      {},
      [["old", x.key, "renamed"]],
    ],
    [
      "a former name whose tool is there",
      [["old", { ...x, retired: "renamed" }]],
      ["x"],
      {},
      [
        ["old", x.key, "renamed"],
        ["s_x", x.key, undefined],
      ],
    ],
    [
      "a former name that is in force again",
      [["s_x", { ...x, retired: "renamed" }]],
      ["x"],
      {},
      [["s_x", x.key, undefined]],
    ],
    [
      "a name in another style",
      [["s_x", x]],
      ["x"],
      { style: "bare" },
      [
        ["s_x", x.key, "renamed"],
        ["x", x.key, undefined],
      ],
    ],
    [
      "a name in another style whose tool is gone",
      [["s_x", x]],
      [],
      { style: "bare" },
      [["s_x", x.key, "renamed"]],
    ],
  ])("%s", (_, before, tools, options, after) => {
    expect(namesOf(next(docs(...tools), lockWith(before), options))).toEqual(after);
  });

  it("is the very entry that was there where nothing changed", () => {
    const lock = lockWith([["s_x", x]]);
    expect(next(docs("x"), lock).profiles.get("openai")?.names.get("s_x")).toBe(x);
  });

  it("has each tool with canonical name, digest and what it became; others stay", () => {
    const gone: LockedTool = { canonical: "s@1/gone@1", digest: "g" };
    const before: Lock = {
      ...EMPTY_LOCK,
      tools: new Map([
        [key("gone"), gone],
        [key("x"), { canonical: "s@2/x@1", digest: "old", successor: key("y") }],
      ]),
    };
    const sources = [{ server: "s", tools: [{ name: "x", title: "X" }, "y"] }];
    expect([...next(sources, before).tools]).toEqual([
      [key("gone"), gone],
      [key("x"), { canonical: "s@1/x@1", digest: "digest X", successor: key("y") }],
      [key("y"), { canonical: "s@1/y@1", digest: "digest " }],
    ]);
    expect("successor" in (next(sources, before).tools.get(key("y")) as LockedTool)).toBe(false);
  });
});
