import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ToolKey, toolKeyOf } from "../../../identity/tool-key.js";
import { sortTexts } from "../../../names/compare-text.js";
import { formatLock } from "../format-lock.js";
import type { Lock, LockedName, LockedTool, ProfileLock } from "../lock.js";
import { changeLockLines } from "./change-lock-lines.js";

const TEXTS = ["a", ',"name":"a"', '","retired":', "\\", "é", "🙂", "\ud800", "__proto__", "7"];
const IDS = ["openai", "name", "retired", "others", "__proto__", "7", "é", "tool"];

const text = fc.constantFrom(...TEXTS);
const key = fc
  .record({ server: text, raw: text, toolbox: fc.option(fc.constant("box"), { nil: undefined }) })
  .map(({ toolbox, ...tool }) => toolKeyOf(toolbox === undefined ? tool : { ...tool, toolbox }));

/** What a profile says of one tool; names are told apart by the position of their tools. */
const entry = fc.option(
  fc.record({
    name: fc.oneof({ weight: 3, arbitrary: fc.constant("a") }, text),
    retired: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constant("removed" as const)),
    former: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, text),
  }),
  { freq: 5 },
);
type Entry = typeof entry extends fc.Arbitrary<infer E> ? E : never;

function profileOf(keys: readonly ToolKey[], entries: readonly Entry[]): ProfileLock {
  const names = new Map<string, LockedName>();
  for (const [index, each] of entries.entries()) {
    const owner = keys[index];
    if (each === null || owner === undefined) continue;
    const { name, retired, former } = each;
    names.set(`${name}${index}`, retired === undefined ? { key: owner } : { key: owner, retired });
    if (former !== undefined) names.set(`${former}-${index}`, { key: owner, retired: "renamed" });
  }
  return { style: "flat", names };
}

const locks = fc
  .record({
    // In the order of a catalog; sometimes not.
    keys: fc
      .tuple(fc.uniqueArray(key, { maxLength: 6 }), fc.nat(9))
      .map(([keys, chance]) => (chance === 0 ? keys : sortTexts(keys).map((each) => each as ToolKey))),
    ids: fc.shuffledSubarray(IDS),
    entries: fc.array(fc.array(entry, { minLength: 6, maxLength: 6 }), { minLength: 8, maxLength: 8 }),
    successors: fc.array(fc.option(key, { freq: 1, nil: undefined }), { minLength: 6, maxLength: 6 }),
    isNew: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  })
  .map(({ keys, ids, entries, successors, isNew }) => {
    const tools = new Map<ToolKey, LockedTool>(
      keys.slice(1).map((each, at) => {
        const successor = successors[at];
        return [each, { canonical: each, digest: "d", ...(successor === undefined ? {} : { successor }) }];
      }),
    );
    const profiles = ids.map((id, at) => [id, profileOf(keys, entries[at] ?? [])] as const);
    const before: Lock = { profiles: new Map(profiles.filter((_, at) => isNew[at] !== true)), tools };
    return { before, next: { profiles: new Map(profiles), tools } };
  });

describe("lines of a lock to which profiles were added (LOCK-1)", () => {
  it("are those that it would have with nothing to go by", () => {
    fc.assert(
      fc.property(locks, ({ before, next }) => {
        expect(formatLock(next, { lock: before, text: formatLock(before) })).toBe(formatLock(next));
      }),
      { numRuns: 2_000 },
    );
  });

  const keys = [toolKeyOf({ server: "fs", raw: "read" }), toolKeyOf({ server: "fs", raw: "write" })];
  const tools = new Map<ToolKey, LockedTool>();
  const named = (...names: readonly string[]): ProfileLock =>
    profileOf(
      keys,
      names.map((name) => ({ name, retired: undefined, former: undefined })),
    );
  const before: Lock = { profiles: new Map([["openai", named("a", "b")]]), tools };
  const linesOf = (next: Lock): string | undefined =>
    changeLockLines(next, { lock: before, text: formatLock(before) }, [...next.profiles.keys()].sort());

  it("are told from the text where a profile is new", () => {
    const next = { profiles: new Map([...before.profiles, ["cursor", named("a", "c")]]), tools };
    expect(linesOf(next)).toContain('"name":"b1","others":{"cursor":"c1"}}');
  });

  it("keep what a tool became, with a name or without, where a profile is new (LOCK-5)", () => {
    const [read, write] = keys as [ToolKey, ToolKey];
    const known = new Map<ToolKey, LockedTool>([
      [read, { canonical: "fs@1/read@1", digest: "d", successor: write }],
      [write, { canonical: "fs@1/write@1", digest: "d", successor: toolKeyOf({ server: "fs", raw: "z" }) }],
    ]);
    for (const names of [named("a"), named("a", "b")]) {
      const first: Lock = { profiles: new Map([["openai", names]]), tools: known };
      for (const added of [names, named("c"), named("c", "d"), named()]) {
        const next: Lock = { profiles: new Map([...first.profiles, ["cursor", added]]), tools: known };
        expect(formatLock(next, { lock: first, text: formatLock(first) })).toBe(formatLock(next));
      }
    }
  });

  it.each([
    ["a tool is new", { profiles: new Map([...before.profiles]), tools: new Map(tools) }],
    ["a name is another", { profiles: new Map([["openai", named("a", "c")]]), tools }],
    ["a profile is gone", { profiles: new Map(), tools }],
  ])("are not told from it where %s", (_, next) => {
    expect(linesOf(next)).toBeUndefined();
  });

  describe("of many tools", () => {
    const keyAt = (at: number): ToolKey => toolKeyOf({ server: "fs", raw: String(at).padStart(3, "0") });
    /** `count` tools, and what a new profile calls them: some otherwise, and some not at all in either. */
    const added = (count: number, { otherwise = 0, nameless = 0 }): string | undefined => {
      const keys = [...Array(count).keys()].map(keyAt);
      const tools = new Map(keys.map((each) => [each, { canonical: each, digest: "d" }]));
      const namesOf = (changed: number): ProfileLock => ({
        style: "flat",
        names: new Map(
          keys.slice(nameless).map((key, at) => [at < changed ? `other${at}` : `same${at}`, { key }]),
        ),
      });
      const before: Lock = { profiles: new Map([["openai", namesOf(0)]]), tools };
      const next: Lock = { profiles: new Map([...before.profiles, ["cursor", namesOf(otherwise)]]), tools };
      const lines = changeLockLines(next, { lock: before, text: formatLock(before) }, ["cursor", "openai"]);
      if (lines !== undefined) expect(formatLock(next).endsWith(lines)).toBe(true);
      return lines;
    };

    it.each([
      [300, 100],
      [800, 200],
    ])("are told where of %i no more than %i differ: a hundred, or a quarter", (count, most) => {
      expect(added(count, { otherwise: most })).toContain(`"name":"other${most - 1}","others"`);
      expect(added(count, { otherwise: most + 1 })).toBeUndefined();
    });

    it("stay where tools have the same name there, or none in either", () => {
      const lines = added(500, { nameless: 200 });
      expect(lines).toContain('"name":"same299"');
      expect(lines).not.toContain("others");
    });
  });
});
