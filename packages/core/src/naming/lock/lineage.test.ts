import { describe, expect, it } from "vitest";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import type { NamingStyle } from "../wish/style.js";
import { buildLineage, carryLock, recordSuccessions } from "./lineage.js";
import type { Lock, LockedName, LockedTool } from "./lock.js";

const key = (raw: string): ToolKey => toolKeyOf({ server: "s", raw });
const [a, b, c, d] = ["a", "b", "c", "d"].map(key) as [ToolKey, ToolKey, ToolKey, ToolKey];
const names = new Map([
  [a, "a"],
  [b, "b"],
  [c, "c"],
  [d, "d"],
]);
const say = (keys: readonly ToolKey[]): string => keys.map((each) => names.get(each) ?? "?").join("");

/** a became b, b became c; d is another tool. */
const line = new Map([
  [a, b],
  [b, c],
]);
const lineageOf = (live: string, successions = line) =>
  buildLineage(successions, (each) => live.includes(names.get(each) ?? "?"));

describe("who an identity is now (LOCK-5)", () => {
  it.each([
    // live, then who a, b, c and d are.
    ["c", "cccd"],
    ["b", "bbbd"],
    ["a", "aaad"],
    ["", "cccd"],
    ["ab", "abbd"],
    ["ac", "accd"],
    ["bc", "bbcd"],
    ["abc", "abcd"],
  ])("with %j there", (live, expected) => {
    const { presentKeyOf } = lineageOf(live);
    expect(say([a, b, c, d].map(presentKeyOf))).toBe(expected);
  });

  it.each([
    // live, and by tool that is there what else it was called; then the first of its line.
    ["c", { c: "ba" }, { c: "a" }],
    ["b", { b: "ac" }, { b: "a" }],
    ["a", { a: "bc" }, { a: "a" }],
    ["ac", { a: "", c: "b" }, { a: "a", c: "b" }],
    ["bc", { b: "a", c: "" }, { b: "a", c: "c" }],
    ["abc", { a: "", b: "", c: "" }, { a: "a", b: "b", c: "c" }],
    ["d", { d: "" }, { d: "d" }],
  ])("with %j there, what else each was called, and first", (live, former, first) => {
    const { formerKeysOf, firstKeyOf } = lineageOf(live);
    for (const [name, expected] of Object.entries(former))
      expect(say(formerKeysOf(key(name)))).toBe(expected);
    for (const [name, expected] of Object.entries(first)) expect(say([firstKeyOf(key(name))])).toBe(expected);
  });

  it.each([
    ["c", "c", "ba", ""],
    ["b", "b", "a", "c"],
    ["a", "a", "", "bc"],
    ["ac", "a", "", ""],
    ["ac", "c", "b", ""],
    ["bc", "b", "a", ""],
  ])(
    "with %j there, %s has those before it that are gone, and those after it where all are",
    (live, name, earlier, later) => {
      const gone = lineageOf(live).goneKeysOf(key(name));
      expect([say(gone.earlier), say(gone.later)]).toEqual([earlier, later]);
      expect(lineageOf("", new Map()).goneKeysOf(a)).toEqual({ earlier: [], later: [] });
    },
  );

  it.each(["c", "b", "a", "", "ac", "bc", "abc"])("with %j there, its line is the same", (live) => {
    const { lineKeysOf } = lineageOf(live);
    expect([a, b, c, d].map((each) => say(lineKeysOf(each)))).toEqual(["bc", "ac", "ba", ""]);
  });

  it.each(["c", "b", "a", "ab", "ac", "bc", "abc"])(
    "with %j there, each is former to the one it is now",
    (live) => {
      const { formerKeysOf, presentKeyOf } = lineageOf(live);
      for (const tool of [a, b, c].filter((each) => live.includes(names.get(each) ?? "?")))
        expect(say([...formerKeysOf(tool)].sort())).toBe(
          say([a, b, c].filter((each) => each !== tool && presentKeyOf(each) === tool)),
        );
    },
  );

  it("is itself where nothing was renamed", () => {
    const none = lineageOf("", new Map());
    expect([none.presentKeyOf(a), none.firstKeyOf(a), none.formerKeysOf(a), none.lineKeysOf(a)]).toEqual([
      a,
      a,
      [],
      [],
    ]);
    const lock: Lock = { profiles: new Map(), tools: new Map() };
    expect(carryLock(lock, none, () => undefined)).toBe(lock);
  });
});

describe("what is on record for an old identity (LOCK-5)", () => {
  const carry = (
    live: string,
    entries: Readonly<Record<string, LockedName>>,
    style: NamingStyle = "flat",
  ) => {
    const lock: Lock = {
      profiles: new Map([["p", { style, names: new Map(Object.entries(entries)) }]]),
      tools: new Map([[a, { canonical: "s@1/a@1", digest: "" }]]),
    };
    const canonicalOf = (each: ToolKey) =>
      live.includes(names.get(each) ?? "?") ? `s@1/${names.get(each)}@1` : undefined;
    const carried = carryLock(lock, lineageOf(live), canonicalOf);
    expect(carried.tools).toBe(lock.tools);
    const profile = carried.profiles.get("p");
    expect(profile?.style).toBe(style);
    return [...(profile?.names ?? [])].map(([name, { key, retired = "" }]) =>
      `${name} ${say([key])} ${retired}`.trim(),
    );
  };

  it("is its successor's", () => {
    expect(carry("c", { x: { key: a }, y: { key: d } })).toEqual(["y d", "x c"]);
    expect(carry("c", { x: { key: a, retired: "removed" } })).toEqual(["x c removed"]);
    expect(carry("c", { x: { key: a, retired: "renamed" } })).toEqual(["x c renamed"]);
  });

  it("comes behind the successor's own, what it had last before what it had first, then by name", () => {
    expect(carry("c", { w: { key: a }, z: { key: b }, y: { key: b }, x: { key: c } })).toEqual([
      "x c",
      "y c",
      "z c",
      "w c",
    ]);
  });

  it("stays its own while it is there", () => {
    expect(carry("ac", { x: { key: a }, y: { key: b } })).toEqual(["x a", "y c"]);
  });

  it("is a former name where names are canonical, because those say who a tool is", () => {
    expect(carry("c", { "s@1/a@1": { key: a }, "s@1/c@1": { key: c } }, "canonical")).toEqual([
      "s@1/c@1 c",
      "s@1/a@1 c renamed",
    ]);
  });

  it("leads back to a tool that is there again, where it is its canonical name", () => {
    expect(carry("ac", { "s@1/a@1": { key: c } })).toEqual(["s@1/a@1 a renamed"]);
    expect(carry("ac", { "s@1/a@1": { key: c, retired: "renamed" } }, "canonical")).toEqual(["s@1/a@1 a"]);
    expect(carry("ac", { "s@1/a@1": { key: b } })).toEqual(["s@1/a@1 a renamed"]);
    // It was never its own, or is another's altogether.
    expect(carry("ac", { "s@1/a@1": { key: d } })).toEqual(["s@1/a@1 d"]);
    expect(carry("c", { "s@1/a@1": { key: c } })).toEqual(["s@1/a@1 c"]);
    expect(carry("ac", { other: { key: c } })).toEqual(["other c"]);
  });
});

describe("who became whom, on record (LOCK-5)", () => {
  const known = (raw: string, successor?: ToolKey): LockedTool => ({
    canonical: `s@1/${raw}@1`,
    digest: `digest of ${raw}`,
    ...(successor === undefined ? {} : { successor }),
  });
  const record = (tools: readonly (readonly [ToolKey, LockedTool])[], named: string) => {
    const nameOf = (each: ToolKey) =>
      named.includes(names.get(each) ?? "?") ? `named ${names.get(each)}` : undefined;
    return [...recordSuccessions(new Map(tools), lineageOf(""), nameOf)].map(
      ([from, { canonical, digest, successor }]) =>
        [say([from]), canonical, digest, successor === undefined ? "" : say([successor])].join("|"),
    );
  };

  it("is added to what is known of a tool", () => {
    expect(
      record(
        [
          [a, known("a")],
          [b, known("b")],
          [c, known("c")],
        ],
        "",
      ),
    ).toEqual(["a|s@1/a@1|digest of a|b", "b|s@1/b@1|digest of b|c", "c|s@1/c@1|digest of c|"]);
  });

  it("passes over what nobody knows of", () => {
    expect(
      record(
        [
          [a, known("a")],
          [c, known("c")],
        ],
        "",
      ),
    ).toEqual(["a|s@1/a@1|digest of a|c", "c|s@1/c@1|digest of c|"]);
    expect(record([[c, known("c")]], "")).toEqual(["c|s@1/c@1|digest of c|"]);
    expect(record([], "")).toEqual([]);
  });

  it("has lines for tools that are there, or were declared, and are not on record", () => {
    expect(record([], "abc")).toEqual(["a|named a||b", "b|named b||c", "c|named c||"]);
    expect(record([[a, known("a")]], "c")).toEqual(["a|s@1/a@1|digest of a|c", "c|named c||"]);
    expect(record([[a, known("a")]], "b")).toEqual(["a|s@1/a@1|digest of a|b", "b|named b||c"]);
  });

  it("is the record itself where all is on it", () => {
    const tools = new Map([
      [a, known("a", b)],
      [b, known("b", c)],
      [c, known("c")],
    ]);
    expect(recordSuccessions(tools, lineageOf(""), () => undefined)).toBe(tools);
  });
});
