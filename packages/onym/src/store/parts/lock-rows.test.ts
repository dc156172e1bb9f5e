import { type Lock, type LockedName, NAMING_STYLES, type ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import { decodeText, encodeText } from "../schema/stored-text.js";
import { type LockRows, lockToRows, rowsToLock, sealRows } from "./lock-rows.js";

/** Any UTF-16, lone surrogates and NUL included, and what tends to be taken for something else. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "",
    "\0",
    "\\",
    "\\u0000",
    "\\\\u0000",
    "__proto__",
    "constructor",
    "\ud800",
    "a_2",
    "A",
    "a",
  ),
);
const toolKey: fc.Arbitrary<ToolKey> = fc
  .record({ server: text, raw: text, toolbox: fc.option(text, { nil: undefined }) })
  .map(({ server, raw, toolbox }) =>
    toolKeyOf(toolbox === undefined ? { server, raw } : { server, raw, toolbox }),
  );
const name: fc.Arbitrary<LockedName> = fc
  .tuple(toolKey, fc.constantFrom(undefined, "removed" as const, "renamed" as const))
  .map(([key, retired]) => (retired === undefined ? { key } : { key, retired }));
const mapOf = <K, V>(key: fc.Arbitrary<K>, value: fc.Arbitrary<V>): fc.Arbitrary<Map<K, V>> =>
  fc.array(fc.tuple(key, value), { maxLength: 6 }).map((entries) => new Map(entries));
const lock: fc.Arbitrary<Lock> = fc.record({
  profiles: mapOf(text, fc.record({ style: fc.constantFrom(...NAMING_STYLES), names: mapOf(text, name) })),
  tools: mapOf(
    toolKey,
    fc.record(
      { canonical: text, digest: text, successor: toolKey },
      { requiredKeys: ["canonical", "digest"] },
    ),
  ),
});

describe("a lock and its rows", () => {
  it("turn into each other and back, exactly (LOCK-1)", () => {
    fc.assert(
      fc.property(lock, (given) => {
        const rows = lockToRows("tools", given);
        expect(rowsToLock(rows)).toEqual(given);
        expect(rowsToLock(shuffled(rows))).toEqual(given);
        expect(sealRows(shuffled(rows))).toBe(sealRows(rows));
      }),
      { numRuns: 300 },
    );
  });

  it("have keys that differ for different names, and for different spaces", () => {
    fc.assert(
      fc.property(lock, (given) => {
        const { names, profiles, tools } = lockToRows("tools", given);
        const others = lockToRows("prompts", given);
        const ids = [names, profiles, tools, others.names, others.profiles, others.tools].flat();
        expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length);
      }),
    );
  });

  it("go through a real store and come back, exactly, one after the other (LOCK-1)", async () => {
    const store = await openStore({ location: ":memory:", folder: "." });
    let stored = await store.names.load("prompts");
    await fc.assert(
      fc.asyncProperty(lock, async (given) => {
        const swap = await store.names.swap("prompts", stored, given);
        expect(swap.outcome).toBe("kept");
        stored = await store.names.load("prompts");
        expect(stored.lock).toEqual(given);
      }),
      { numRuns: 100 },
    );
    await store.close();
  });

  it("are refused when a row holds what no lock can hold", () => {
    const rows = lockToRows("tools", {
      profiles: new Map([
        ["p", { style: "flat", names: new Map([["n", { key: toolKeyOf({ server: "s", raw: "r" }) }]]) }],
      ]),
      tools: new Map(),
    });
    expect(rowsToLock({ ...rows, profiles: [] })).toBeUndefined();
    expect(
      rowsToLock({ ...rows, profiles: rows.profiles.map((row) => ({ ...row, style: "round" })) }),
    ).toBeUndefined();
    expect(
      rowsToLock({ ...rows, names: rows.names.map((row) => ({ ...row, retired: "lost" })) }),
    ).toBeUndefined();
  });
});

describe("stored text", () => {
  it("comes back exactly, holds nothing an engine loses, and differs where the text differs", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const stored = encodeText(one);
        expect(decodeText(stored)).toBe(one);
        expect(stored).not.toMatch(/[\0\p{Cs}]/u);
        expect(stored === encodeText(other)).toBe(one === other);
      }),
      { numRuns: 1000 },
    );
  });
});

function shuffled({ profiles, names, tools }: LockRows): LockRows {
  return { profiles: [...profiles].reverse(), names: [...names].reverse(), tools: [...tools].reverse() };
}
