import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../catalog/tool.js";
import { definitionDigest } from "./definition-digest.js";

const definition: ToolDefinition = {
  title: "Search",
  description: "Finds documents",
  inputSchema: { type: "object", properties: { text: { type: "string" }, limit: { type: "integer" } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};

describe("definition digests", () => {
  it("are SHA-256 of the canonical JSON, in lower-case hexadecimal (POL-2)", () => {
    // {"annotations":{"readOnlyHint":true},"description":"Finds documents","inputSchema":{"properties":{"limit":{"type":"integer"},"text":{"type":"string"}},"type":"object"},"outputSchema":{"type":"object"},"title":"Search"}
    expect(definitionDigest(definition)).toBe(
      "fb8721e98fe2b42f7240e70085b21b876b19c654fbfc86b27dc33094a217d2e5",
    );
    // {}
    expect(definitionDigest({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });

  it("survive a rename and any order of keys (POL-2)", () => {
    const renamed = { name: "find", ...definition };
    const reordered: ToolDefinition = {
      ...definition,
      inputSchema: { properties: { limit: { type: "integer" }, text: { type: "string" } }, type: "object" },
    };
    expect(definitionDigest(renamed)).toBe(definitionDigest(definition));
    expect(definitionDigest(reordered)).toBe(definitionDigest(definition));
  });

  it.each([
    { title: "search" },
    { description: "Finds documents " },
    { inputSchema: { type: "object" } },
    { outputSchema: { type: "array" } },
    { annotations: { readOnlyHint: false } },
    { annotations: undefined },
    { icons: [{ src: "https://example.com/a.png" }] },
    { _meta: { "vendor/x": 1 } },
    { others: { "x-hint": "run me first" } },
  ])("change with %j (POL-2) (POL-9)", (change) => {
    expect(definitionDigest({ ...definition, ...change } as ToolDefinition)).not.toBe(
      definitionDigest(definition),
    );
  });

  it("tell an absent field from null and from another field with the same content (POL-2)", () => {
    const digests = [
      {},
      { inputSchema: null },
      { inputSchema: {} },
      { outputSchema: {} },
      { _meta: {} },
      { others: {} },
      { others: { _meta: {} } },
    ].map(definitionDigest);
    expect(new Set(digests).size).toBe(7);
  });

  it("count keys named like parts of a prototype (POL-2, SAFE-1)", () => {
    const digests = [
      '{"a":1}',
      '{"a":1,"__proto__":{}}',
      '{"a":1,"__proto__":{"b":1}}',
      '{"a":1,"constructor":{}}',
    ].map((text) => definitionDigest({ inputSchema: JSON.parse(text) }));
    expect(new Set(digests).size).toBe(4);
  });

  it("tell lone surrogates apart (POL-2)", () => {
    expect(definitionDigest({ title: "\ud800" })).not.toBe(definitionDigest({ title: "\ufffd" }));
  });

  it("do not break on a schema of a hundred thousand levels (POL-2)", () => {
    const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    const digest = definitionDigest({ inputSchema: nested(100_000) });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(digest).not.toBe(definitionDigest({ inputSchema: nested(99_999) }));
  });
});
