// Generators of catalogs that are likely to break a naming scheme: names that re-split when joined, look-alikes, edge
// underscores, numbers that look like ours, prototype names, and lengths around every limit.

import type { ToolSource } from "@onym/core";
import fc from "fast-check";
import { isThorough } from "./law-runs.js";

const WORDS = [
  "a",
  "b",
  "ab",
  "get",
  "Get",
  "getLead",
  "lead",
  "sf",
  "salesforce",
  "create_lead",
  "x1",
  "mcp",
  "onym",
];
const JOINTS = [
  "_",
  "__",
  "___",
  "-",
  "--",
  ".",
  "/",
  "@",
  "@1",
  ":",
  "dev:",
  "~",
  "%2F",
  "%",
  " ",
  ",",
  "_2",
  "_3",
  "2",
  "",
];
const STRANGE = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "\u0430",
  "\u00e9",
  "\u{1F600}",
  "\u202e",
  "\ud800",
  "\0",
  "find_tools",
];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 5, arbitrary: fc.constantFrom(...JOINTS) },
  { weight: 1, arbitrary: fc.constantFrom(...STRANGE) },
);
const joined = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
/** Long names that differ only at one end, with lengths around the limits that clients have. */
const long = fc
  .tuple(
    fc.integer({ min: 20, max: 140 }),
    fc.constantFrom("x", "ab_", "-", "word_", "é"),
    joined,
    fc.boolean(),
  )
  .map(([length, unit, end, front]) => {
    const body = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    return front ? end + body : body + end;
  });

export const rawName: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: joined },
  { weight: 1, arbitrary: long },
);

const serverId = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "a_b",
      "a__b",
      "ab",
      "sf",
      "salesforce",
      "A",
      "A_B",
      "get",
      "lead-1",
    ),
  },
  { weight: 2, arbitrary: joined },
  { weight: 1, arbitrary: long },
);
const boxId = fc.constantFrom("a", "b", "dev", "a-b", "a_b");

const source: fc.Arbitrary<ToolSource> = fc.record(
  {
    server: serverId,
    version: fc.integer({ min: 1, max: 12 }),
    integration: fc.constantFrom("a", "b", "salesforce", "a-b", "x1"),
    alias: fc.constantFrom("a", "sf", "x", "ab"),
    tools: fc.array(rawName, { maxLength: isThorough ? 4 : 7 }),
  },
  { requiredKeys: ["server", "tools"] },
);
const boxed: fc.Arbitrary<ToolSource> = fc.record({
  toolbox: boxId,
  server: boxId,
  tools: fc.array(rawName, { maxLength: isThorough ? 3 : 5 }),
});

/** One server in two toolboxes and perhaps outside, with the same tools. */
const twins: fc.Arbitrary<readonly ToolSource[]> = fc
  .record({
    server: boxId,
    tools: fc.array(rawName, { minLength: 1, maxLength: 3 }),
    isOutside: fc.boolean(),
  })
  .map(({ server, tools, isOutside }) => [
    { toolbox: "dev", server, tools },
    { toolbox: "a-b", server, tools },
    ...(isOutside ? [{ server, tools }] : []),
  ]);

export const sources: fc.Arbitrary<readonly ToolSource[]> = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: source.map((one): readonly ToolSource[] => [one]) },
      { weight: 2, arbitrary: boxed.map((one): readonly ToolSource[] => [one]) },
      { weight: 1, arbitrary: twins },
    ),
    { maxLength: isThorough ? 3 : 6 },
  )
  .map((lists) => lists.flat());

/** Names under which people may register the gateway, the default one most of the time. */
export const alias: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant("onym") },
  { weight: 2, arbitrary: fc.constantFrom("acme-tools_gateway", "g", "My Gateway", "a.b", "x__y", "Ä") },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 70 }).map((length) => "z".repeat(length)) },
);
