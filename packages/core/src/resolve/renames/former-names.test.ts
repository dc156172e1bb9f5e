import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { partsOfKey, type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { withoutToolbox } from "../../names/canonical-name.js";
import { runSteps } from "../../names/steps.js";
import { EMPTY_LOCK, type Lock, type LockedName, type ProfileLock } from "../../naming/lock/lock.js";
import { createAwaitedCheck, formerNameSteps, nameUnseen } from "./former-names.js";
import type { Rename } from "./rename-window.js";

type Input = Parameters<typeof formerNameSteps>[0];

const key = (raw: string, server = "s"): ToolKey => toolKeyOf({ server, raw });
const sources: readonly ToolSource[] = [{ server: "s", tools: ["x", "y"] }];

function build(
  renames: readonly Rename[],
  more: Partial<Input> & { readonly from?: readonly ToolSource[] } = {},
) {
  const { from = sources, ...others } = more;
  const catalog = buildCatalog(from);
  return runSteps(
    formerNameSteps({
      catalog,
      renames,
      lock: EMPTY_LOCK,
      owners: new Map(),
      pinned: new Set(),
      style: undefined,
      isCarried: false,
      today: undefined,
      findCanonical: (text) =>
        catalog.tools.filter(({ canonical }) => canonical === text || withoutToolbox(canonical) === text),
      nearestTo: () => undefined,
      isAwaited: () => false,
      isAbsent: () => false,
      ...others,
    }),
  );
}

function lockOf(profiles: Readonly<Record<string, Readonly<Record<string, LockedName>>>>): Lock {
  const profile = (names: Readonly<Record<string, LockedName>>): ProfileLock => ({
    style: "flat",
    names: new Map(Object.entries(names)),
  });
  return {
    profiles: new Map(Object.entries(profiles).map(([id, names]) => [id, profile(names)])),
    tools: new Map([[key("seen"), { canonical: "s@1/seen@1", digest: "" }]]),
  };
}

const codes = ({ problems }: ReturnType<typeof build>) => problems.map(({ code }) => code);
/** Where each old name leads, in words. */
const leads = ({ names }: ReturnType<typeof build>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...names].map(([name, entries]) => [
      name,
      entries.map(({ tool, canonical, policy, isAbsent }) =>
        [
          tool === undefined ? "no tool" : "tool",
          canonical,
          policy,
          ...(isAbsent === true ? ["absent"] : []),
        ].join(" "),
      ),
    ]),
  );

describe("declared renames (LOCK-2)", () => {
  it.each([
    [undefined, "warn"],
    ["warn", "warn"],
    ["accept", "accept"],
    ["reject", "reject"],
  ] as const)("with policy %s lead to their tool and %s", (policy, expected) => {
    const built = build([{ from: "old", to: "s@1/x@1", ...(policy === undefined ? {} : { policy }) }]);
    expect(leads(built)).toEqual({ old: [`tool s@1/x@1 ${expected}`] });
    expect([...built.kept]).toEqual([["old", key("x")]]);
    expect(built.problems).toEqual([]);
  });

  it("lead nowhere where the old name is a tool's canonical name, but may be one without its toolbox", () => {
    const live = build([{ from: "s@1/y@1", to: "s@1/x@1" }]);
    expect([codes(live), leads(live), [...live.kept]]).toEqual([["rename-from-live"], {}, []]);
    const boxed = build([{ from: "s@1/y@1", to: "s@1/x@1" }], {
      from: [
        ...sources.map(() => ({ server: "s", tools: ["x"] })),
        { toolbox: "dev", server: "s", tools: ["y"] },
      ],
    });
    expect([codes(boxed), leads(boxed)]).toEqual([[], { "s@1/y@1": ["tool s@1/x@1 warn"] }]);
  });

  it("lead on where their tool was renamed again, up to one that is there, and end in a circle", () => {
    const chain = (mid: string) => [
      { from: "old", to: `s@1/${mid}@1` },
      { from: `s@1/${mid}@1`, to: "s@1/last@1" },
      { from: "s@1/last@1", to: "s@1/x@1" },
    ];
    expect(leads(build(chain("mid")))["old"]).toEqual(["tool s@1/x@1 warn"]);
    expect(leads(build(chain("y")))["old"]).toEqual(["tool s@1/y@1 warn"]);
    const circle = build([
      { from: "old", to: "s@1/a@1" },
      { from: "s@1/a@1", to: "s@1/b@1" },
      { from: "s@1/b@1", to: "s@1/a@1" },
    ]);
    expect(codes(circle)).toEqual(["rename-to-nothing", "rename-to-nothing", "rename-to-nothing"]);
  });

  it("that lead to nothing are told of and kept, and wait where the tool may come", () => {
    const to = "s@1/gone@1";
    const lost = build([{ from: "old", to }], { nearestTo: (text) => `near ${text}` });
    expect(codes(lost)).toEqual(["rename-to-nothing"]);
    expect(lost.problems[0]?.fix).toMatch(/^Did you mean "near s@1\/gone@1"\? /);
    expect(leads(lost)).toEqual({ old: ["no tool s@1/gone@1 warn"] });
    expect([...lost.kept]).toEqual([["old", "the declared rename to s@1/gone@1"]]);
    const awaited = build([{ from: "old", to }], { isAwaited: (text) => text === to });
    expect([codes(awaited), leads(awaited)]).toEqual([[], { old: ["no tool s@1/gone@1 warn absent"] }]);
    const there = build([{ from: "old", to: "s@1/x@1" }], { isAwaited: () => true });
    expect(leads(there)).toEqual({ old: ["tool s@1/x@1 warn"] });
  });

  it("that may lead to several tools lead to none, and say which they could be", () => {
    const from = ["dev", "ops"].map((toolbox) => ({ toolbox, server: "s", tools: ["x"] }));
    const several = build([{ from: "old", to: "s@1/x@1" }], { from });
    expect(several.problems).toMatchObject([
      { code: "rename-to-nothing", fix: 'Say which one in "to": "dev:s@1/x@1" or "ops:s@1/x@1".' },
    ]);
    expect(leads(several)).toEqual({ old: ["no tool s@1/x@1 warn"] });
    const one = build([{ from: "old", to: "s@1/x@1" }], { from: from.slice(1) });
    expect(leads(one)).toEqual({ old: ["tool ops:s@1/x@1 warn"] });
    expect([...one.kept.values()].map((text) => partsOfKey(text as ToolKey).toolbox)).toEqual(["ops"]);
  });

  it("do not take a name that was given to another tool that is there", () => {
    const rename = { from: "old", to: "s@1/x@1" };
    const given = (raw: string) =>
      build([rename], { lock: lockOf({ a: {}, b: { old: { key: key(raw) } } }) });
    expect([codes(given("y")), leads(given("y"))["old"]]).toEqual([["rename-from-live"], undefined]);
    expect(codes(given("x"))).toEqual([]);
    expect(codes(given("gone"))).toEqual([]);
    const [, y] = buildCatalog(sources).tools;
    const owned = build([rename], { owners: new Map([["old", y as never]]) });
    expect([codes(owned), [...owned.kept]]).toEqual([["rename-from-live"], []]);
  });

  it("are refused after their last day, or the last major version of their own server", () => {
    const until = { from: "old", to: "s@1/x@1", until: "2026-06-30" };
    expect(leads(build([until], { today: "2026-06-30" }))).toEqual({ old: ["tool s@1/x@1 warn"] });
    expect(leads(build([until], { today: "2026-07-01" }))).toEqual({ old: ["tool s@1/x@1 reject"] });
    expect(build([until]).names.get("old")?.[0]?.ends).toBe("after 2026-06-30");
    const since = { from: "old", to: "s@1/x@1", since: "2.0.0" };
    const versions = (serverVersion: string | undefined) =>
      build([since], {
        from: [
          { server: "other", serverVersion: "9.0.0", tools: [] },
          { toolbox: "dev", server: "s", serverVersion: "8.0.0", tools: [] },
          { server: "s", serverVersion, tools: ["x"] },
        ],
      });
    expect(leads(versions("2.5.0"))).toEqual({ old: ["tool s@1/x@1 warn"] });
    expect(leads(versions("3.0.0"))).toEqual({ old: ["tool s@1/x@1 reject"] });
    expect(codes(versions(undefined))).toEqual(["rename-uncounted"]);
    expect(codes(build([{ ...since, to: "s@1/gone@1" }]))).toEqual(["rename-to-nothing"]);
  });

  it("that say the same twice lead to one tool; that say two things are ambiguous", () => {
    const to = (raw: string) => ({ from: "old", to: `s@1/${raw}@1` });
    expect(leads(build([to("x"), to("x")]))).toEqual({ old: ["tool s@1/x@1 warn"] });
    expect(leads(build([to("x"), to("y"), to("x")]))).toEqual({
      old: ["tool s@1/x@1 warn", "tool s@1/y@1 warn"],
    });
  });
});

describe("names that a lock remembers (RES-7)", () => {
  it("are former ones where their tool is gone, with what it was called", () => {
    const lock = lockOf({
      a: { one: { key: key("seen") }, two: { key: key("unseen") }, three: { key: key("q", "t") } },
    });
    const built = build([], { lock });
    expect(leads(built)).toEqual({
      one: ["no tool s@1/seen@1 warn"],
      two: ["no tool s@1/unseen@1 warn"],
      three: ["no tool t / q warn"],
    });
    expect([...(built.byProfile.get("a")?.keys() ?? [])]).toEqual(["one", "two", "three"]);
    expect(leads(build([], { lock, isAbsent: (each) => each === key("seen") }))["one"]).toEqual([
      "no tool s@1/seen@1 warn absent",
    ]);
  });

  it.each<[string, Partial<Input>, LockedName, boolean]>([
    ["its tool has it", {}, { key: key("x") }, false],
    ["its tool has another", {}, { key: key("x"), retired: "renamed" }, true],
    ["its tool is back", {}, { key: key("x"), retired: "removed" }, false],
    ["the style is the same", { style: "flat" }, { key: key("x") }, false],
    ["the style is another", { style: "bare" }, { key: key("x") }, true],
    ["its tool is pinned", { pinned: new Set([key("x")]) }, { key: key("x") }, true],
    ["another tool is pinned", { pinned: new Set([key("y")]) }, { key: key("x") }, false],
  ])("are former ones or not: %s", (_, more, entry, isFormer) => {
    const built = build([], { lock: lockOf({ a: { name: entry } }), isAbsent: () => true, ...more });
    expect(leads(built)).toEqual(isFormer ? { name: ["tool s@1/x@1 warn"] } : {});
  });

  it("are former ones where one tool was handed several", () => {
    const x = { key: key("x") };
    const lock = lockOf({
      a: { one: x, two: x, y: { key: key("y") } },
      b: { one: x, three: { ...x, retired: "renamed" } },
    });
    expect(leads(build([], { lock, isCarried: true }))).toEqual({
      one: ["tool s@1/x@1 warn"],
      two: ["tool s@1/x@1 warn"],
      three: ["tool s@1/x@1 warn"],
    });
    expect([...(build([], { lock, isCarried: true }).byProfile.get("b")?.keys() ?? [])]).toEqual(["three"]);
    expect(Object.keys(leads(build([], { lock })))).toEqual(["three"]);
  });

  it("are left to a declared rename, unless profiles gave the name to several tools", () => {
    const rename: Rename = { from: "old", to: "s@1/x@1", policy: "accept" };
    const seen = { key: key("seen") };
    const declared = build([rename], { lock: lockOf({ a: { old: seen } }) });
    expect(leads(declared)).toEqual({ old: ["tool s@1/x@1 accept"] });
    expect(declared.byProfile.get("a")).toEqual(new Map());
    const several = build([rename], {
      lock: lockOf({ a: { old: seen }, b: { old: { key: key("x"), retired: "renamed" } } }),
    });
    expect(leads(several)).toEqual({ old: ["tool s@1/x@1 accept", "no tool s@1/seen@1 warn"] });
    expect([...several.byProfile].map(([id, names]) => [id, names.size])).toEqual([
      ["a", 1],
      ["b", 0],
    ]);
  });
});

describe("names of tools that nobody has seen (LOCK-5)", () => {
  const catalog = buildCatalog([
    { server: "s", version: 2, tools: [] },
    { toolbox: "dev", server: "s", integration: "disk", tools: [] },
  ]);

  it.each([
    [{ server: "s", raw: "a.b" }, "s@2/a.b@1"],
    [{ toolbox: "dev", server: "s", raw: "x" }, "dev:disk@1/x@1"],
    [{ server: "t", raw: "x" }, "t / x"],
    [{ toolbox: "ops", server: "s", raw: "x" }, "ops / s / x"],
  ])("%j would be called %s", (parts, name) => {
    expect(nameUnseen(toolKeyOf(parts), catalog)).toBe(name);
  });

  it.each([
    ["s@2/x@1", true, false],
    ["s@1/x@1", false, false],
    ["disk@1/x@1", false, true],
    ["dev:disk@1/x@1", false, true],
    ["ops:disk@1/x@1", false, false],
    ["dev:s@2/x@1", false, false],
    ["x/disk@1/", false, false],
  ])(
    "%s may come with the server outside: %j, with that in the toolbox: %j",
    (canonical, outside, inside) => {
      const awaits = (toolbox: string | undefined) =>
        createAwaitedCheck(
          catalog,
          (each) => each === toolKeyOf({ toolbox, server: "s", raw: "" }),
        )(canonical);
      expect([awaits(undefined), awaits("dev")]).toEqual([outside, inside]);
    },
  );
});
