import { describe, expect, it } from "vitest";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { diffLocks, type LockDiff } from "./diff-locks.js";
import type { Lock, LockedName, LockedTool } from "./lock.js";

const key = (raw: string, toolbox?: string): ToolKey => toolKeyOf({ server: "s", raw, toolbox });
const canonical = (raw: string): string => `s@1/${raw}@1`;

/** By profile: name → raw name of its tool, `removed:` or `renamed:` before it where it is retired. */
type Names = Readonly<Record<string, Readonly<Record<string, string>>>>;

function lock(profiles: Names, tools: Readonly<Record<string, Partial<LockedTool>>> = {}): Lock {
  const entryOf = (text: string): LockedName => {
    const [raw = "", retired] = text.split(":").reverse();
    return retired === undefined ? { key: key(raw) } : { key: key(raw), retired: retired as "removed" };
  };
  return {
    profiles: new Map(
      Object.entries(profiles).map(([id, names]) => [
        id,
        { style: "flat", names: new Map(Object.entries(names).map(([name, text]) => [name, entryOf(text)])) },
      ]),
    ),
    tools: new Map(
      Object.entries(tools).map(([raw, known]) => [
        key(raw),
        { canonical: canonical(raw), digest: "", ...known },
      ]),
    ),
  };
}

const lines = ({ added, retired, moved, handedOn }: LockDiff): readonly string[] => [
  ...added.map(({ profile, name, canonical }) => `+ ${profile} ${name} ${canonical}`),
  ...retired.map(({ profile, name, canonical }) => `- ${profile} ${name} ${canonical}`),
  ...moved.map(({ profile, from, name, canonical }) => `! ${profile} ${from} ${name} ${canonical}`),
  ...handedOn.map(({ profile, from, name, formerly, canonical }) =>
    [">", profile, from, name, formerly, canonical].join(" "),
  ),
];

describe("what changed between two locks (LOCK-1)", () => {
  it.each<[string, Lock, Lock, readonly string[]]>([
    ["nothing", lock({ p: { a: "x" } }), lock({ p: { a: "x" } }), []],
    ["a profile that is new", lock({}), lock({ p: { a: "x" } }, { x: {} }), ["+ p a s@1/x@1"]],
    ["a profile that is gone", lock({ p: { a: "x" } }, { x: {} }), lock({}), ["- p a s@1/x@1"]],
    ["a tool that nobody has seen", lock({}), lock({ p: { a: "x" } }), ["+ p a s / x"]],
    ["another name", lock({ p: { a: "x" } }), lock({ p: { b: "x" } }, { x: {} }), ["! p a b s@1/x@1"]],
    [
      "another name, the old one kept",
      lock({ p: { a: "x" } }),
      lock({ p: { a: "renamed:x", b: "x" } }),
      ["! p a b s / x"],
    ],
    ["a tool that is gone", lock({ p: { a: "x" } }), lock({ p: { a: "removed:x" } }), ["- p a s / x"]],
    ["a tool that is back", lock({ p: { a: "removed:x" } }), lock({ p: { a: "x" } }), ["+ p a s / x"]],
    ["a tool that stays away", lock({ p: { a: "removed:x" } }), lock({ p: { a: "removed:x" } }), []],
  ])("%s", (_, before, after, expected) => {
    expect(lines(diffLocks(before, after))).toEqual(expected);
  });

  it("is told by profile and name, whatever the order in the locks", () => {
    const none = lock({});
    const some = lock({ q: { b: "y", a: "x" }, p: { b: "x", a: "y" } });
    const order = ["p a s / y", "p b s / x", "q a s / x", "q b s / y"];
    expect(lines(diffLocks(none, some))).toEqual(order.map((line) => `+ ${line}`));
    expect(lines(diffLocks(some, none))).toEqual(order.map((line) => `- ${line}`));
    const other = lock({ p: { d: "x", c: "y" }, q: { d: "y", c: "x" } });
    const moved = ["p a c s / y", "p b d s / x", "q a c s / x", "q b d s / y"];
    expect(lines(diffLocks(some, other))).toEqual(moved.map((line) => `! ${line}`));
  });

  it("names a tool of a toolbox that nobody has seen by toolbox, server and raw name", () => {
    const names = new Map([["a", { key: key("x", "dev") }]]);
    const after: Lock = { profiles: new Map([["p", { style: "flat", names }]]), tools: new Map() };
    expect(lines(diffLocks(lock({}), after))).toEqual(["+ p a dev / s / x"]);
  });

  it("counts names that stay, and lists tools whose definition changed by canonical name", () => {
    const names = { p: { a: "x", b: "y" }, q: { a: "x" } };
    const before = lock(names, { y: { digest: "1" }, x: { digest: "1" }, z: { digest: "1" } });
    const after = lock(names, { y: { digest: "2" }, x: { digest: "2" }, z: { digest: "1" }, w: {} });
    expect(diffLocks(before, after)).toMatchObject({ kept: 3, redefined: [canonical("x"), canonical("y")] });
  });
});

describe("names that a declared rename hands on (LOCK-5)", () => {
  const before = lock({ p: { a: "old" }, q: { b: "old", a: "older" } }, { old: {}, older: {} });
  const became = (raw: string, successor: string) => ({ [raw]: { successor: key(successor) } });

  it("go to the nearest successor that is there, and are neither added nor retired", () => {
    const tools = { ...became("older", "old"), ...became("old", "new"), new: {} };
    const after = lock({ p: { a: "new" }, q: { b: "renamed:new", c: "new" } }, tools);
    expect(lines(diffLocks(before, after))).toEqual([
      "> p a a s@1/old@1 s@1/new@1",
      "> q b c s@1/old@1 s@1/new@1",
      "> q a c s@1/older@1 s@1/new@1",
    ]);
  });

  it("keep the old name where the successor was not asked for its own yet", () => {
    const after = lock({ p: { a: "renamed:new" } }, { ...became("old", "new"), new: {} });
    expect(lines(diffLocks(lock({ p: { a: "old" } }, { old: {} }), after))).toEqual([
      "> p a a s@1/old@1 s@1/new@1",
    ]);
  });

  it.each([
    ["is gone", { p: { a: "removed:new" } }],
    ["has no name there", { p: {} }],
  ])("are retired where the successor %s", (_, names) => {
    const after = lock(names, { ...became("old", "new"), new: {} });
    expect(lines(diffLocks(lock({ p: { a: "old" } }, { old: {} }), after))).toEqual(["- p a s@1/old@1"]);
  });

  it("are retired where a hand-written record goes round in a circle", () => {
    const after = lock({ p: {} }, { ...became("old", "new"), ...became("new", "old") });
    expect(lines(diffLocks(lock({ p: { a: "old" } }, { old: {} }), after))).toEqual(["- p a s@1/old@1"]);
  });

  it("stay with a tool that is there itself", () => {
    const after = lock({ p: { a: "old", b: "new" } }, { ...became("old", "new"), new: {} });
    expect(lines(diffLocks(lock({ p: { a: "old" } }, { old: {} }), after))).toEqual(["+ p b s@1/new@1"]);
  });
});
