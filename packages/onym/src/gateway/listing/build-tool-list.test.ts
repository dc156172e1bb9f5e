import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildSettings, profileNamed, serverOf, snapshotOf } from "../testing/test-callers.js";
import { createToolLists, type ListChoice, type ToolLists } from "./tool-lists.js";

/** Names that profiles cut, number or rewrite, and texts that JSON escapes or UTF-8 makes longer. */
const WORDS = [
  "read",
  "read_file",
  "use_tool",
  "Read.File",
  `do_${"very_".repeat(12)}long_thing`,
  `do_${"very_".repeat(12)}long_things`,
  "get_lead_2",
  "__proto__",
  'say "hi"',
  "back\\slash",
  "línea",
  "文件",
  "🙂",
  "\ud800",
  "\u2028",
  "a,b",
  "x".repeat(200),
];
const name = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "binary", minLength: 1, maxLength: 12 }));

/** Some mention others, and some say of their results what older clients are not told. */
function toolsFrom(names: readonly string[], mentions: readonly number[]): readonly JsonObject[] {
  return names.map((each, index) => ({
    name: each,
    ...((mentions[index] ?? 0) % 3 === 0
      ? {}
      : { description: `Like "${names[(mentions[index] ?? 0) % names.length]}", é.` }),
    ...((mentions[index] ?? 0) % 5 === 0 ? { outputSchema: { type: "string" } } : {}),
    inputSchema: {
      type: "object",
      ...((mentions[index] ?? 0) % 2 === 0
        ? {}
        : { properties: { x: { description: `"${names[(mentions[index] ?? 0) % names.length]}"` } } }),
    },
  }));
}

const view = fc
  .record({
    names: fc.uniqueArray(name, { maxLength: 12 }),
    boxed: fc.uniqueArray(name, { maxLength: 6 }),
    mentions: fc.array(fc.nat(30), { minLength: 12, maxLength: 12 }),
    style: fc.constantFrom(undefined, "dotted" as const),
  })
  .map(({ names, boxed, mentions, style }): GatewaySnapshot => {
    const downstreams = [
      createMemoryDownstream({ tools: toolsFrom(names, mentions) }),
      createMemoryDownstream({ tools: toolsFrom(boxed, mentions) }, { toolbox: "dev" }),
    ];
    const { naming } = buildSettings();
    const settings = buildSettings({
      servers: downstreams.map((each) => serverOf(each)),
      naming: { ...naming, style },
    });
    return snapshotOf({ downstreams, settings });
  });

const choice: fc.Arbitrary<ListChoice> = fc.record({
  profile: fc
    .constantFrom("universal", "openai", "cursor", "claude-code", "canonical", "sep-986", "gemini")
    .map(profileNamed),
  as: fc.constantFrom(undefined, "fs", "a-very-long-name-for-a-gateway"),
  era: fc.constantFrom("legacy" as const, "modern" as const),
  toolboxes: fc.constantFrom<ListChoice["toolboxes"]>(undefined, "none", [], ["dev"]),
  visibility: fc.constantFrom(undefined, {
    key: "short",
    sees: ({ raw }: { readonly raw: string }) => raw.length < 10,
  }),
});

function shownBy(lists: ToolLists, wanted: ListChoice): readonly unknown[] {
  const page = lists.page(wanted, undefined);
  return [page?.entries.toString("latin1"), page?.nextCursor, lists.digest(wanted)];
}

describe("a list beside others of the same view", () => {
  it("is to the byte what it would be alone, whichever were made before (GW-4, GW-7)", () => {
    fc.assert(
      fc.property(view, fc.array(choice, { minLength: 2, maxLength: 6 }), (seen, choices) => {
        const together = createToolLists(seen);
        for (const each of choices)
          expect(shownBy(together, each)).toEqual(shownBy(createToolLists(seen), each));
      }),
    );
  });

  it("is the same list for clients with the same names", () => {
    const lists = createToolLists(
      snapshotOf({ downstreams: [createMemoryDownstream({ tools: toolsNamed("a", "b") })] }),
    );
    const pageFor = (id: string) =>
      lists.page(
        { profile: profileNamed(id), as: undefined, era: "legacy", toolboxes: undefined },
        undefined,
      );
    expect(pageFor("gemini")).toBe(pageFor("openai"));
    expect(pageFor("canonical")).not.toBe(pageFor("openai"));
  });
});
