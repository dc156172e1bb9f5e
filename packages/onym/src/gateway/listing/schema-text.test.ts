import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { createReferenceFinder } from "../references/find-references.js";
import { formatSchemaMember, joinMembers, plainJson, readSchemaTexts, renderJson } from "./schema-text.js";

const find = createReferenceFinder(["read_file", "search", 'say "hi"', "__proto__"]);

function format(schema: JsonObject) {
  return formatSchemaMember("inputSchema", schema, readSchemaTexts(schema), find);
}

const described = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.record(
    {
      description: fc.oneof(
        fc.constantFrom("Use read_file.", "`search` 'say \"hi\"'", "__proto__ \u2028", "none"),
        fc.string({ unit: "binary", maxLength: 20 }),
        fc.constant(5),
      ),
      properties: fc.dictionary(fc.constantFrom("a", "1", "search", "description"), tie("schema"), {
        maxKeys: 2,
      }),
      items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
      anyOf: fc.array(fc.oneof(tie("schema"), fc.jsonValue({ maxDepth: 1 })), { maxLength: 2 }),
      default: fc.jsonValue({ maxDepth: 2 }),
      enum: fc.array(fc.constantFrom("search", 1, null), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>,
}));

describe("a schema's text (GW-9)", () => {
  it("is the schema's JSON to the letter, and stays so where names stay as they are", () => {
    fc.assert(
      fc.property(described.schema, (schema) => {
        const member = format(schema);
        const wanted = `"inputSchema":${JSON.stringify(schema)}`;
        expect(member.text).toBe(wanted);
        expect(renderJson(member, (raw) => raw)).toBe(wanted);
        const whole = joinMembers([plainJson('"a":1'), member, member]);
        expect(renderJson(whole, (raw) => raw)).toBe(`"a":1,${wanted},${wanted}`);
      }),
      { numRuns: 500 },
    );
  });

  it("is JSON with any name in it (SAFE-1)", () => {
    const member = format({ description: 'First "say "hi"", then read_file.', x: 1 });
    const text = renderJson(member, () => 'a"\\\n\u2028');
    expect(JSON.parse(`{${text}}`)).toMatchObject({ inputSchema: { x: 1 } });
    expect(JSON.parse(`{${text}}`).inputSchema.description).toContain('then a"\\\n\u2028.');
  });

  it.each([
    [
      "deep",
      (schema: JsonObject): JsonObject => {
        let deep = schema;
        for (let depth = 0; depth < 1_000; depth++) deep = { items: deep, x: { y: [[]] } };
        return { description: "Use read_file.", ...deep };
      },
    ],
    [
      "wide",
      (schema: JsonObject): JsonObject => ({
        description: "Use read_file.",
        properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, { ...schema }])),
      }),
    ],
    [
      "long",
      (schema: JsonObject): JsonObject => ({
        ...schema,
        properties: { a: { description: "read_file ".repeat(100_000) } },
      }),
    ],
  ])("of a %s schema is followed within bounds (SAFE-4)", (_, build) => {
    const schema = build({ description: "Use read_file." });
    const member = format(schema);
    expect(member.text).toBe(`"inputSchema":${JSON.stringify(schema)}`);
    expect(member.mentions.length).toBeGreaterThan(0);
    expect(member.mentions.length).toBeLessThan(2_500);
  });
});
