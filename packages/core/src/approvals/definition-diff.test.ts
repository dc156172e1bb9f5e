import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../catalog/tool.js";
import { diffDefinitions, explainDefinitionDiff } from "./definition-diff.js";
import { definitionDigest } from "./definition-digest.js";

function lines(before: unknown, after: unknown): readonly string[] {
  return explainDefinitionDiff(diffDefinitions(before as ToolDefinition, after as ToolDefinition));
}

function nested(depth: number, leaf: string): unknown {
  return JSON.parse(`${'{"a":['.repeat(depth)}${leaf}${"]}".repeat(depth)}`);
}

describe("the difference between two definitions", () => {
  it("tells fields added, removed and changed by their path (POL-2)", () => {
    const before = {
      title: "Search",
      inputSchema: { properties: { text: { type: "string" }, old: {} }, required: ["text"] },
    };
    const after = {
      title: "Search",
      description: "Finds",
      inputSchema: { properties: { text: { type: "number" }, "to whom": true }, required: ["text", "x"] },
    };
    expect(lines(before, after)).toEqual([
      'added $.description: "Finds"',
      "removed $.inputSchema.properties.old: {}",
      'changed $.inputSchema.properties.text.type: "string" → "number"',
      'added $.inputSchema.properties["to whom"]: true',
      'added $.inputSchema.required[1]: "x"',
    ]);
  });

  it("tells null from absent and one type from another (POL-2)", () => {
    expect(lines({}, { inputSchema: null })).toEqual(["added $.inputSchema: null"]);
    expect(lines({ inputSchema: [] }, { inputSchema: {} })).toEqual(["changed $.inputSchema: [] → {}"]);
    expect(lines({ inputSchema: [null] }, { inputSchema: [] })).toEqual(["removed $.inputSchema[0]: null"]);
    expect(lines({ inputSchema: 1 }, { inputSchema: "1" })).toEqual(['changed $.inputSchema: 1 → "1"']);
  });

  it("leaves out what is no part of the digest (POL-2)", () => {
    expect(lines({ name: "a" }, { name: "b", version: 2 })).toEqual([]);
  });

  it("is empty exactly where the digests are equal (POL-2)", () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
    const definition = fc.record(
      { title: fc.string(), description: fc.string(), inputSchema: value, annotations: value },
      { requiredKeys: [] },
    );
    const pair = fc.oneof(
      fc.tuple(definition, definition),
      fc.tuple(definition, fc.record({ inputSchema: value })).map(([a, b]) => [a, { ...a, ...b }] as const),
      definition.map((a) => [a, structuredClone(a)] as const),
    );
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const isSame = definitionDigest(a) === definitionDigest(b);
        if ((diffDefinitions(a, b).changes.length === 0) !== isSame) throw new Error("they disagree");
        if (diffDefinitions(a, b).changes.length !== diffDefinitions(b, a).changes.length)
          throw new Error("one way finds more than the other");
      }),
      { numRuns: 10_000 },
    );
  });

  it("sees keys named like parts of a prototype (SAFE-1)", () => {
    const parse = (text: string): ToolDefinition => ({ inputSchema: JSON.parse(text) });
    const diff = diffDefinitions(parse("{}"), parse('{"__proto__":{"a":1},"constructor":2}'));
    expect(explainDefinitionDiff(diff)).toEqual([
      'added $.inputSchema.__proto__: {"a":1}',
      "added $.inputSchema.constructor: 2",
    ]);
  });

  it("does not break on a hundred thousand levels, and says where they part (POL-2)", () => {
    const diff = diffDefinitions({ inputSchema: nested(50_000, "1") }, { inputSchema: nested(50_000, "2") });
    expect(diff.changes).toHaveLength(1);
    expect(diff.changes[0]?.path.startsWith("$.inputSchema.a[0].a[0]")).toBe(true);
    expect(explainDefinitionDiff(diff)[0]?.length).toBeLessThan(1_000);
    expect(diffDefinitions({ inputSchema: nested(50_000, "1") }, {}).changes).toHaveLength(1);
  });

  it("counts what is more than anybody reads (POL-2)", () => {
    const wide = (value: number) => ({ inputSchema: Array.from({ length: 200_000 }, () => value) });
    const diff = diffDefinitions(wide(1), wide(2));
    expect([diff.changes.length, diff.omitted]).toEqual([100, 199_900]);
    expect(explainDefinitionDiff(diff).at(-1)).toBe("and 199900 more");
    expect(diffDefinitions(wide(1), wide(2), { max: 1 }).changes).toHaveLength(1);
  });

  it("does not throw for a value that contains itself (POL-2)", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const diff = diffDefinitions({ inputSchema: loop }, {});
    expect(diff.changes).toMatchObject([{ kind: "changed", path: "$" }]);
    expect(explainDefinitionDiff(diff)).toEqual(["changed $: a value that contains itself → {}"]);
  });

  it("shows what is new in a long text, however long its beginning stayed the same (POL-2)", () => {
    const start = "harmless ".repeat(100);
    const [line = ""] = lines({ description: start }, { description: `${start}and send it to evil` });
    expect(line).toContain("and send it to evil");
    expect(line.length).toBeLessThan(200);
    expect(line).toContain("(900 characters)");
  });

  it("tells how many more there are than are shown (POL-2)", () => {
    const wide = (value: number, length: number) => ({ inputSchema: Array.from({ length }, () => value) });
    expect(diffDefinitions(wide(1, 100), wide(2, 100))).toMatchObject({
      omitted: 0,
      changes: { length: 100 },
    });
    expect(diffDefinitions(wide(1, 103), wide(2, 103))).toMatchObject({
      omitted: 3,
      changes: { length: 100 },
    });
    expect(explainDefinitionDiff(diffDefinitions(wide(1, 4), wide(2, 4), { max: 2 }))).toEqual([
      "changed $.inputSchema[0]: 1 → 2",
      "changed $.inputSchema[1]: 1 → 2",
      "and 2 more",
    ]);
  });

  it("compares what is 64 levels down as a whole (POL-2)", () => {
    const pathOf = (levels: number, [open, close]: readonly [string, string]) => {
      const at = (leaf: string): ToolDefinition => ({
        inputSchema: JSON.parse(`${open.repeat(levels)}${leaf}${close.repeat(levels)}`),
      });
      return diffDefinitions(at("1"), at("2")).changes[0]?.path;
    };
    expect(pathOf(63, ["[", "]"])).toBe(`$.inputSchema${"[0]".repeat(63)}`);
    expect(pathOf(64, ["[", "]"])).toBe(`$.inputSchema${"[0]".repeat(63)}`);
    expect(pathOf(63, ['{"a":', "}"])).toBe(`$.inputSchema${".a".repeat(63)}`);
    expect(pathOf(64, ['{"a":', "}"])).toBe(`$.inputSchema${".a".repeat(63)}`);
  });

  it("leaves out fields that no JSON has, on either side (POL-2)", () => {
    const odd = { f: () => 1, s: Symbol("s"), u: undefined };
    expect(lines({ inputSchema: odd }, { inputSchema: {} })).toEqual([]);
    expect(lines({ inputSchema: { f: 1, s: 2 } }, { inputSchema: odd })).toEqual([
      "removed $.inputSchema.f: 1",
      "removed $.inputSchema.s: 2",
    ]);
    expect(lines({ inputSchema: "" }, {})).toEqual(['removed $.inputSchema: ""']);
  });

  it("does not throw where only the later definition contains itself (POL-2)", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(lines({}, { inputSchema: loop })).toEqual(["changed $: {} → a value that contains itself"]);
  });

  it("shows texts of up to 200 characters whole, and longer ones from their first difference (POL-2)", () => {
    const change = (before: string, after: string) => lines({ title: before }, { title: after })[0];
    const [a, b] = ["a".repeat(199), "b".repeat(200)];
    expect(change(`${a}x`, `${a}y`)).toBe(`changed $.title: "${a}x" → "${a}y"`);
    expect(change(`${a}ax`, "short")).toBe(
      `changed $.title: "${"a".repeat(100)}…${"a".repeat(98)}x" (201 characters) → "short"`,
    );
    expect(change(`${b}x`, `${b}y`)).toBe(
      `changed $.title: …"${"b".repeat(20)}x" (201 characters) → …"${"b".repeat(20)}y" (201 characters)`,
    );
    expect(change(b, `${b}y`)).toBe(
      `changed $.title: …"${"b".repeat(20)}" (200 characters) → …"${"b".repeat(20)}y" (201 characters)`,
    );
    expect(lines({}, { title: b })[0]).toBe(`added $.title: "${b}"`);
    expect(lines({}, { title: `${b}c` })[0]).toBe(
      `added $.title: "${"b".repeat(100)}…${"b".repeat(98)}c" (201 characters)`,
    );
  });

  it("cuts long values and paths, and says how long they are (POL-2)", () => {
    const number = (digits: number) => ({ inputSchema: [BigInt("1".repeat(digits))] });
    expect(lines({}, number(198))[0]).toBe(`added $.inputSchema: [${"1".repeat(198)}]`);
    expect(lines({}, number(199))[0]).toBe(`added $.inputSchema: [${"1".repeat(199)}… (201 characters)`);
    const key = "k".repeat(300);
    expect(lines({ inputSchema: {} }, { inputSchema: { [key]: 1 } })[0]).toBe(
      `added $.inputSchema.${"k".repeat(186)}… (314 characters): 1`,
    );
    expect(lines({ inputSchema: 1 }, { inputSchema: "x" })[0]).toBe('changed $.inputSchema: 1 → "x"');
    expect(lines({ inputSchema: "x" }, { inputSchema: 1 })[0]).toBe('changed $.inputSchema: "x" → 1');
  });

  it("escapes what a person could not see, in keys and in values (SAFE-1)", () => {
    const [line = ""] = lines({}, { inputSchema: { "a\u202eb": "x\u200b\ny" } });
    expect(line).toBe('added $.inputSchema: {"a\\u{202E}b":"x\\u{200B}\\ny"}');
    const [inner = ""] = lines({ inputSchema: {} }, { inputSchema: { "a\u202eb\n": "\u0007" } });
    expect(inner).toBe('added $.inputSchema["a\\u{202E}b\\n"]: "\\u{0007}"');
  });
});
