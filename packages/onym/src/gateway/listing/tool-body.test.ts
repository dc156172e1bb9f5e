import { specTypeSchemas } from "@modelcontextprotocol/client";
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { PROMPT_MEMBERS, RESOURCE_MEMBERS, repairMembers } from "./repair-entry.js";
import { buildToolBody } from "./tool-body.js";

const plain = (text: string) => [text];

/** As a list holds it, for each era. */
function listed(tool: JsonObject): { readonly modern: JsonObject; readonly legacy: JsonObject } {
  const { description, members, legacyMembers, meta } = buildToolBody(tool, plain);
  const text = description === undefined ? "" : `"description":${JSON.stringify(description.join(""))},`;
  const entry = (own: string): JsonObject => JSON.parse(`{"name":"a",${text}${own},"_meta":{${meta}"z":1}}`);
  return { modern: entry(members.text), legacy: entry(legacyMembers.text) };
}

const huge = { type: "object", description: "x".repeat(1_000_000), properties: {} };

const HOSTILE: readonly (readonly [string, string])[] = [
  ["no schema", "{}"],
  ["a schema that is null", '{"inputSchema":null}'],
  ["a schema that is a text", '{"inputSchema":"object"}'],
  ["a schema that is a list", '{"inputSchema":[]}'],
  ["a schema that is true", '{"inputSchema":true}'],
  ["a schema of another type", '{"inputSchema":{"type":"string","properties":{"a":{}}}}'],
  ["a schema of several types", '{"inputSchema":{"type":["object","null"]}}'],
  ["a schema without a type", '{"inputSchema":{"anyOf":[{}]}}'],
  ["properties that are a list", '{"inputSchema":{"type":"object","properties":[]}}'],
  ["properties that are null", '{"inputSchema":{"type":"object","properties":null}}'],
  ["properties that are booleans", '{"inputSchema":{"type":"object","properties":{"a":true,"b":false}}}'],
  ["properties that are texts", '{"inputSchema":{"type":"object","properties":{"a":"string","b":null}}}'],
  ["required that is a flag", '{"inputSchema":{"type":"object","required":true}}'],
  ["required of numbers", '{"inputSchema":{"type":"object","required":[1]}}'],
  [
    "members named like prototypes",
    '{"__proto__":{"name":"b"},"constructor":1,"toString":null,"hasOwnProperty":0}',
  ],
  [
    "properties named like prototypes",
    '{"inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":1}}}',
  ],
  ["a _meta that is a text", '{"_meta":"x"}'],
  ["a _meta named like prototypes", '{"_meta":{"__proto__":1,"constructor":{}}}'],
  ["a title of a wrong type", '{"title":5,"description":{}}'],
  ["annotations of a wrong type", '{"annotations":"none"}'],
  ["hints of wrong types", '{"annotations":{"readOnlyHint":"yes","destructiveHint":1,"title":null,"x":1}}'],
  ["icons of wrong types", '{"icons":{"src":"a"}}'],
  [
    "an icon without a source",
    '{"icons":[{"src":5},null,"a",{"src":"b","sizes":"48x48","theme":"pink","mimeType":1}]}',
  ],
  ["execution", '{"execution":{"taskSupport":"sometimes"}}'],
  ["an output schema that is a list", '{"outputSchema":[]}'],
  [
    "an output schema of bad properties",
    '{"outputSchema":{"type":"object","properties":{"a":true},"required":"a"}}',
  ],
  ["an output schema of another type", '{"outputSchema":{"type":"array"}}'],
  [
    "fields of ours",
    '{"canonical_name":5,"openai_name":5,"source_server":5,"toolbox_name":5,"cursor_name":5}',
  ],
  ["half a character", '{"title":"\\ud800","description":"\\udfff"}'],
  ["a huge schema", JSON.stringify({ inputSchema: huge })],
];

describe("a hostile tool (NAME-5)", () => {
  it.each(HOSTILE)("with %s leaves a list that SDK clients take", async (_, json) => {
    const { modern, legacy } = listed({ ...JSON.parse(json), name: "a" });
    const listOf = (entry: JsonObject) => ({
      tools: [entry, { name: "good", inputSchema: { type: "object" } }],
    });
    expect(ListToolsResultSchema.safeParse(listOf(legacy)).error?.message).toBeUndefined();
    for (const entry of [modern, legacy]) {
      const read = await specTypeSchemas.ListToolsResult["~standard"].validate(listOf(entry));
      expect(read.issues).toBeUndefined();
    }
  });

  it("loses none of the good members beside the bad ones", () => {
    const { modern } = listed({
      name: "a",
      title: "A",
      extra: { kept: true },
      annotations: { readOnlyHint: true, idempotentHint: "no", custom: 1 },
      icons: [{ src: "a", theme: "dark" }, { src: 5 }],
      inputSchema: {
        type: "object",
        properties: { a: true, b: { type: "string" } },
        additionalProperties: false,
      },
    });
    expect(modern).toEqual({
      name: "a",
      title: "A",
      extra: { kept: true },
      annotations: { readOnlyHint: true, custom: 1 },
      icons: [{ src: "a", theme: "dark" }],
      inputSchema: {
        type: "object",
        properties: { a: {}, b: { type: "string" } },
        additionalProperties: false,
      },
      _meta: { z: 1 },
    });
  });

  it("passes a good schema on to the letter", () => {
    const inputSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    );
    expect(JSON.stringify(listed({ name: "a", inputSchema }).modern["inputSchema"])).toBe(
      JSON.stringify(inputSchema),
    );
  });

  it("shows an output that is no object to modern clients only", () => {
    const { modern, legacy } = listed({ name: "a", outputSchema: { type: "array" } });
    expect(modern["outputSchema"]).toEqual({ type: "array" });
    expect(legacy).not.toHaveProperty("outputSchema");
  });

  it("cannot speak in the gateway's name", () => {
    const { modern } = listed({
      name: "a",
      source_server: "other",
      canonical_name: "other@1/a@1",
      _meta: { "onym/canonicalName": "x", source_server: "x", original_name: "x", own: 1 },
    });
    expect(modern).toEqual({ name: "a", inputSchema: { type: "object" }, _meta: { own: 1, z: 1 } });
  });
});

describe("hostile prompts and resources (NAME-5)", () => {
  it("are repaired to what SDK clients take", async () => {
    const prompts = [
      { name: "a", title: 5, description: [], arguments: "x", icons: 1, _meta: "x" },
      { name: "b", arguments: [{ name: "c", required: "yes", description: 1 }, { name: 5 }, null] },
    ].map((prompt) => repairMembers(prompt, PROMPT_MEMBERS));
    expect(ListPromptsResultSchema.safeParse({ prompts }).error).toBeUndefined();
    expect(
      (await specTypeSchemas.ListPromptsResult["~standard"].validate({ prompts })).issues,
    ).toBeUndefined();
    expect(prompts[1]).toEqual({ name: "b", arguments: [{ name: "c" }] });

    const resources = [
      {
        title: 5,
        mimeType: 1,
        size: "big",
        annotations: { audience: "user", priority: 7, lastModified: "today" },
      },
      { annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-11-16T00:00:00Z" } },
    ].map((entry) => ({ ...repairMembers(entry, RESOURCE_MEMBERS), uri: "a:b", name: "a" }));
    expect(ListResourcesResultSchema.safeParse({ resources }).error).toBeUndefined();
    expect(
      (await specTypeSchemas.ListResourcesResult["~standard"].validate({ resources })).issues,
    ).toBeUndefined();
    expect(resources[1]).toMatchObject({
      annotations: { priority: 0.5, lastModified: "2026-11-16T00:00:00Z" },
    });
  });
});
