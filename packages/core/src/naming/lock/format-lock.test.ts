import { describe, expect, it } from "vitest";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { formatLock, formatLockSteps } from "./format-lock.js";
import { EMPTY_LOCK, type Lock, type LockedName, type LockedTool, readLockedTool } from "./lock.js";
import { parseLock } from "./parse-lock.js";

const key = (raw: string): ToolKey => toolKeyOf({ server: "s", raw });
const known = (raw: string, more: Partial<LockedTool> = {}): readonly [ToolKey, LockedTool] => [
  key(raw),
  { canonical: `s@1/${raw}@1`, digest: "d", ...more },
];

function lock(
  profiles: Readonly<Record<string, readonly (readonly [string, LockedName])[]>>,
  tools: readonly (readonly [ToolKey, LockedTool])[] = [],
): Lock {
  return {
    profiles: new Map(
      Object.entries(profiles).map(([id, names]) => [id, { style: "flat", names: new Map(names) }]),
    ),
    tools: new Map(tools),
  };
}

/** The lines of tools, without commas. */
const toolLines = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith('    {"tool":'))
    .map((line) => JSON.parse(line.replace(/,$/, "")));

describe("a lock as text (LOCK-1)", () => {
  it.each(["a\u202Eb", "\u2066x\u2069", "z\u200B\uFEFF", "t\u{E0041}g", "d\u007F\u0085", "l\u2028p\u2029"])(
    "has escapes for characters that reorder or hide text, and reads as it was: %j (SAFE-1)",
    (raw) => {
      const some = lock({ a: [[raw, { key: key(raw) }]], b: [["x", { key: key(raw) }]] }, [known(raw)]);
      const text = formatLock(some);
      expect(text).toMatch(/^[\n\x20-\x7E]*$/);
      const read = parseLock(text);
      expect(read.ok && read.value).toEqual(some);
      const more: Lock = {
        ...some,
        profiles: new Map([
          ...some.profiles,
          ["c", { style: "flat", names: some.profiles.get("a")?.names ?? new Map() }],
        ]),
      };
      expect(formatLock(more, { lock: some, text })).toBe(formatLock(more));
    },
  );

  it("keeps letters of every script as they are", () => {
    const name = "größe_検索_ß";
    expect(formatLock(lock({ a: [[name, { key: key(name) }]] }, [known(name)]))).toContain(
      `"name":"${name}"`,
    );
  });

  it("is JSON in one order, one profile and one tool a line", () => {
    expect(formatLock(EMPTY_LOCK)).toBe('{\n  "onymLock": 1,\n  "profiles": {},\n  "tools": []\n}\n');
    const some = lock(
      {
        b: [
          ["y", { key: key("y") }],
          ["x", { key: key("x") }],
        ],
        a: [],
      },
      [known("y"), known("x")],
    );
    expect(formatLock(some)).toBe(
      `{
  "onymLock": 1,
  "profiles": {
    "a": "flat",
    "b": "flat"
  },
  "tools": [
    {"tool":["namespaced","s","x"],"canonical":"s@1/x@1","digest":"d","name":"x","others":{"a":null}},
    {"tool":["namespaced","s","y"],"canonical":"s@1/y@1","digest":"d","name":"y","others":{"a":null}}
  ]
}
`,
    );
  });

  it.each<[string, readonly (string | undefined)[], object]>([
    ["one that all share", ["n", "n", "n"], { name: "n" }],
    ["the one that most share", ["n", "m", "m"], { name: "m", others: { a: "n" } }],
    ["the one that most share, wherever it stands", ["m", "m", "n"], { name: "m", others: { c: "n" } }],
    ["the first by code point of several", ["n", "m", "o"], { name: "m", others: { a: "n", c: "o" } }],
    [
      "the first by code point, also where it comes first",
      ["m", "n", "o"],
      { name: "m", others: { b: "n", c: "o" } },
    ],
    ["the one that most have, not the first", ["a", "z", "z"], { name: "z", others: { a: "a" } }],
    [
      "one, and where there is none",
      [undefined, "n", undefined],
      { name: "n", others: { a: null, c: null } },
    ],
  ])("writes of a tool's names %s", (_, names, expected) => {
    const entries = names.map((name) => (name === undefined ? [] : [[name, { key: key("x") }] as const]));
    const [a = [], b = [], c = []] = entries;
    expect(toolLines(formatLock(lock({ a, b, c }, [known("x")])))).toEqual([
      { tool: ["namespaced", "s", "x"], canonical: "s@1/x@1", digest: "d", ...expected },
    ]);
  });

  it("writes tombstones once where all agree, else by profile; and former names by profile, in order", () => {
    const removed = { key: key("x"), retired: "removed" } as const;
    const renamed = { key: key("x"), retired: "renamed" } as const;
    const line = (a: readonly (readonly [string, LockedName])[], b: typeof a): unknown =>
      toolLines(formatLock(lock({ a, b })))[0];
    const blank = { tool: ["namespaced", "s", "x"], canonical: "", digest: "" };
    expect(line([["n", removed]], [["n", removed]])).toEqual({ ...blank, retired: true, name: "n" });
    expect(line([["n", removed]], [["n", { key: key("x") }]])).toEqual({
      ...blank,
      retired: ["a"],
      name: "n",
    });
    const former = [
      ["z", renamed],
      ["y", renamed],
      ["n", { key: key("x") }],
    ] as const;
    expect(line(former, [["n", { key: key("x") }]])).toEqual({
      ...blank,
      name: "n",
      former: { a: ["y", "z"] },
    });
    // Two names in force in one profile were handed on: the second is a former one.
    expect(
      line(
        [
          ["n", { key: key("x") }],
          ["m", { key: key("x") }],
        ],
        [],
      ),
    ).toEqual({
      ...blank,
      name: "n",
      others: { b: null },
      former: { a: ["m"] },
    });
  });

  it("has lines for tools without names only where one became another (LOCK-5)", () => {
    const old = known("old", { successor: key("new") });
    const rawNames = (tools: readonly (readonly [ToolKey, LockedTool])[]): readonly unknown[] =>
      toolLines(formatLock(lock({ a: [] }, tools)));
    expect(rawNames([known("x")])).toEqual([]);
    const line = (raw: string) => ({
      tool: ["namespaced", "s", raw],
      canonical: `s@1/${raw}@1`,
      digest: "d",
      others: undefined,
    });
    const became = { ...line("old"), successor: ["namespaced", "s", "new"] };
    expect(rawNames([old])).toEqual([became]);
    expect(rawNames([known("new"), old, known("x")])).toEqual([line("new"), became]);
  });

  it("is made in steps of two hundred tools, for who has others to serve meanwhile (SAFE-4)", () => {
    const stepsOf = (count: number): number => {
      const names = [...Array(count).keys()].map((at) => [`n${at}`, { key: key(`t${at}`) }] as const);
      const steps = formatLockSteps(lock({ a: names }));
      let made = 0;
      for (let step = steps.next(); step.done !== true; step = steps.next()) made++;
      return made;
    };
    // Each is looked at twice: whose names these are, and its line.
    expect([0, 199, 200, 399, 400, 1000].map(stepsOf)).toEqual([0, 0, 2, 2, 4, 10]);
  });

  it("is not made again where only profiles were added", () => {
    const names = [["n", { key: key("x") }]] as const;
    const before = lock({ a: names }, [known("x")]);
    const next: Lock = {
      profiles: new Map([...before.profiles, ["b", { style: "flat", names: new Map(names) }]]),
      tools: before.tools,
    };
    const text = formatLock(before);
    expect(formatLock(next, { lock: before, text })).toBe(formatLock(next));
    // What the text says counts, although the lock does not say it.
    const marked = text.replace('"digest":"d"', '"digest":"e"');
    expect(formatLock(next, { lock: before, text: marked })).toContain('"digest":"e"');
  });

  it("is read back the same", () => {
    const some = lock({ a: [["n", { key: key("x") }]], b: [["m", { key: key("x"), retired: "removed" }]] }, [
      known("x", { successor: key("y") }),
      known("y"),
    ]);
    const read = parseLock(formatLock(some));
    expect(read.ok && formatLock(read.value)).toBe(formatLock(some));
    expect(read.ok && read.value.tools.get(key("x"))).toEqual(known("x", { successor: key("y") })[1]);
  });
});

it.each([
  ["dev", "fs@1/read@1", "dev:fs@1/read@1"],
  ["dev", "dev:fs@1/read@1", "dev:fs@1/read@1"],
  ["dev", "no canonical name", "no canonical name"],
  [undefined, "fs@1/read@1", "fs@1/read@1"],
])("a record of a tool in toolbox %j as %j is read as %j (CANON-7)", (toolbox, canonical, expected) => {
  const recorded = { canonical, digest: "d", successor: key("x") };
  expect(readLockedTool(toolKeyOf({ toolbox, server: "fs", raw: "read" }), recorded)).toEqual({
    ...recorded,
    canonical: expected,
  });
});
