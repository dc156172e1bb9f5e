import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../catalog/tool.js";
import { diffDefinitions } from "./definition-diff.js";
import { definitionDigest } from "./definition-digest.js";
import { explainDefinitionDiff } from "./explain-definition-diff.js";

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

  it("escapes what a person could not see, in keys and in values (SAFE-1)", () => {
    const [line = ""] = lines({}, { inputSchema: { "a\u202eb": "x\u200b\ny" } });
    expect(line).toBe('added $.inputSchema: {"a\\u{202E}b":"x\\u{200B}\\ny"}');
    const [inner = ""] = lines({ inputSchema: {} }, { inputSchema: { "a\u202eb\n": "\u0007" } });
    expect(inner).toBe('added $.inputSchema["a\\u{202E}b\\n"]: "\\u{0007}"');
  });
});
