import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { isCompilableSchema, MAX_PROPERTY_ESCAPES } from "./repair-entry.js";
import { buildToolBody } from "./tool-body.js";

const at = (a: unknown): JsonObject => ({ type: "object", properties: { a } });

const deep = (levels: number): JsonObject => (levels === 0 ? { type: "string" } : at(deep(levels - 1)));

const UNSOUND: readonly JsonObject[] = [
  at({ type: "banana" }),
  at({ type: [] }),
  at({ type: "string", pattern: "(" }),
  at({ type: "string", pattern: 5 }),
  at({ $ref: "#/nope" }),
  at({ $ref: "#/$defs/constructor" }),
  { type: "object", $ref: "http://127.0.0.1/x" },
  at({ enum: [] }),
  at({ minimum: "x" }),
  at({ maxLength: -1 }),
  at({ items: 5 }),
  at({ anyOf: [] }),
  at({ anyOf: {} }),
  at({ not: null }),
  at("string"),
  at({ nullable: true }),
  at({ format: 5 }),
  { type: "object", patternProperties: { "(": {} } },
  { type: "object", $id: "a" },
  { type: "object", $defs: [] },
  deep(100),
];

const SOUND: readonly JsonObject[] = [
  { type: "object" },
  at(true),
  at({ type: ["string", "null"], enum: ["a", null], description: "x", examples: [1], "x-own": {} }),
  {
    ...at({ type: "array", items: { $ref: "#/$defs/b" }, minItems: 1, uniqueItems: true }),
    $defs: { b: { type: "string", nullable: true } },
  },
  {
    type: "object",
    $defs: { b: { $ref: "#" } },
    properties: { b: { $ref: "#/$defs/b" } },
    $schema: "https://json-schema.org/draft/2020-12/schema",
  },
  {
    type: "object",
    patternProperties: { "^a+$": { type: "number", minimum: 0 } },
    additionalProperties: false,
  },
  JSON.parse('{"type":"object","if":{"required":["a"]},"then":{"minProperties":1},"oneOf":[{},{"not":{}}]}'),
  JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}'),
  deep(20),
];

/** What a client of the SDK v1 lists, whose list holds such a tool and a good one. */
async function listWith(outputSchema: JsonObject): Promise<readonly string[]> {
  const { legacyMembers } = buildToolBody({ name: "a", outputSchema }, (text) => [text]);
  const tools = [
    JSON.parse(`{"name":"a",${legacyMembers.text}}`),
    { name: "good", inputSchema: { type: "object" } },
  ];
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "c", version: "1" });
  await Promise.all([server.connect(far), client.connect(near)]);
  const listed = await client.listTools();
  await client.close();
  return listed.tools.map((tool) =>
    tool.outputSchema === undefined ? tool.name : `${tool.name} with output`,
  );
}

describe("an output schema", () => {
  it.each(UNSOUND.map((schema) => [JSON.stringify(schema).slice(0, 100), schema] as const))(
    "that clients cannot compile is kept from them, and their list is whole (NAME-5): %s",
    async (_, schema) => {
      expect(isCompilableSchema(schema)).toBe(false);
      expect(await listWith(schema)).toEqual(["a", "good"]);
    },
  );

  it.each(SOUND.map((schema) => [JSON.stringify(schema).slice(0, 100), schema] as const))(
    "that clients can compile is passed on: %s",
    async (_, schema) => {
      expect(isCompilableSchema(schema)).toBe(true);
      expect(await listWith(schema)).toEqual(["a with output", "good"]);
    },
  );

  it.each([
    ["one below", MAX_PROPERTY_ESCAPES - 1, true],
    ["at", MAX_PROPERTY_ESCAPES, true],
    ["one above", MAX_PROPERTY_ESCAPES + 1, false],
  ])(
    "has property escapes in its patterns: %s the limit (limits: MAX_PROPERTY_ESCAPES of repair-entry) (SAFE-4)",
    (_, count, isSound) => {
      const pattern = (escapes: number) => ({ type: "string", pattern: "\\p{L}".repeat(escapes) });
      const spread = {
        type: "object",
        patternProperties: { "\\P{Lu}": pattern(4), "\\p{Lu}": pattern(count - 6) },
      };
      expect(isCompilableSchema(at(pattern(count)))).toBe(isSound);
      expect(isCompilableSchema(spread)).toBe(isSound);
    },
  );

  it("is looked through within bounds", () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, {}]));
    expect(isCompilableSchema({ type: "object", properties: wide })).toBe(false);
  });
});
