import { definitionDigest } from "@onym/core/approvals";
import { expect, it } from "vitest";
import { countCalls } from "../../../../../test/count-calls.js";
import { runFirstSteps } from "../../model/run-slices.js";
import { digestOf } from "./name-lock.js";
import { FIRST_STEPS, type Offer, offerSteps, readOffer } from "./read-offer.js";

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const special = [
  {
    name: "a",
    title: "A",
    description: "Reads b.",
    inputSchema: schema,
    annotations: { readOnlyHint: true },
  },
  { name: "b", inputSchema: schema, outputSchema: { type: "array" } },
  { name: "c", inputSchema: { properties: { q: true } } },
  { name: "d", inputSchema: schema, outputSchema: 7 },
  { name: "e" },
  {
    name: "f",
    inputSchema: schema,
    icons: [{ src: "x" }],
    _meta: { v: 1, original_name: "y" },
    "x-other": 2,
  },
];
const many = Array.from({ length: 1_000 }, (_, n) => ({ name: `t${n}`, inputSchema: schema }));

const read = (tools: readonly object[]): Offer =>
  readOffer({ tools: tools as never, prompts: [] }, { admits: () => true }, true);

it("says the same of a tool among many as among few", () => {
  const few = read(special);
  const lots = read([...special, ...many]);
  for (const [index, tool] of few.tools.entries()) {
    const other = lots.tools[index];
    if (other === undefined) throw new Error("it is missing");
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    expect(other).toMatchObject({ name });
    expect([other.title, other.description, other.annotations]).toEqual([title, description, annotations]);
    expect([other.inputSchema, other.outputSchema]).toEqual([inputSchema, outputSchema]);
    expect(definitionDigest(other)).toBe(definitionDigest(tool));
    expect(digestOf(other)).toBe(definitionDigest(tool));
  }
});

it("takes every member but names and places into the definition (POL-9)", () => {
  const plain = { name: "a", inputSchema: schema };
  const digests = [
    plain,
    { ...plain, icons: [{ src: "x" }] },
    { ...plain, _meta: { v: 1 } },
    { ...plain, "x-other": 1 },
    { ...plain, execution: { taskSupport: "required" } },
    { ...plain, ["__proto__"]: { v: 1 } },
  ].map((tool) => definitionDigest(read([tool]).tools[0] ?? {}));
  expect(new Set(digests).size).toBe(digests.length);
  const named = {
    ...plain,
    name: "b",
    canonical_name: "x@1/a@1",
    openai_name: "x_a",
    source_server: "x",
    _meta: { "onym/canonicalName": "x@1/a@1", original_name: "a" },
  };
  expect(definitionDigest(read([named]).tools[0] ?? {})).toBe(digests[0]);
});

function stepsOf(tools: readonly object[]): number {
  return [...offerSteps({ tools: tools as never, prompts: [] }, { admits: () => true }, true)].length;
}

it("is read in steps of 50 tools, or of 8 KB where tools are large (SAFE-4)", () => {
  expect([0, 50, 51, 100, 101].map((count) => stepsOf(many.slice(0, count)))).toEqual([0, 0, 1, 1, 2]);
  const large = many.slice(0, 40).map((tool) => ({ ...tool, description: "`a` ".repeat(40_000) }));
  expect(stepsOf(large)).toBe(39 * 19);
});

it.each([
  ["few", 100, true],
  ["many", 5_000, false],
])("is made at once where its tools have %s properties, else in slices (SAFE-4)", (_, count, isAtOnce) => {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`p${n}`, { description: "use `t1_a`" }]),
  );
  const tools = Array.from({ length: 10 }, (_, n) => ({
    name: `t${n}_a`,
    inputSchema: { type: "object", properties },
  }));
  const steps = offerSteps({ tools, prompts: [] }, { admits: () => true }, true);
  expect("value" in runFirstSteps(steps, FIRST_STEPS)).toBe(isAtOnce);
});

it("is made at once where it takes few steps, else in slices (SAFE-4)", async () => {
  function* count(steps: number) {
    for (let step = 0; step < steps; step++) yield;
    return steps;
  }
  expect(runFirstSteps(count(3), 4)).toEqual({ value: 3 });
  const late = runFirstSteps(count(4), 4);
  expect(late).toBeInstanceOf(Promise);
  expect(await late).toBe(4);
});

it.each([
  ["few", special],
  ["many", many],
])("hashes the definitions of %s tools with the rest, in the same steps (SAFE-4)", async (_, listed) => {
  const { tools } = read(listed);
  const calls = await countCalls(() => tools.map((tool) => digestOf(tool)));
  expect([...calls.keys()].filter((each) => each.includes(" definitionDigest "))).toEqual([]);
  expect(tools.map((tool) => digestOf(tool))).toEqual(tools.map((tool) => definitionDigest(tool)));
});

it("gives others a turn after 8 KB of schemas (SAFE-4)", () => {
  const large = { ...schema, description: "x".repeat(8 * 1024) };
  const tools = Array.from({ length: 40 }, (_, n) => ({ name: `t${n}`, inputSchema: large }));
  let steps = 0;
  for (const _ of offerSteps({ tools, prompts: [] }, { admits: () => true }, false)) steps += 1;
  expect(steps).toBeGreaterThanOrEqual(38);
});

it("knows the pages that tools name, each with those tools, of tools that are shown", () => {
  const page = (name: string, _meta: unknown) => ({ name, inputSchema: schema, _meta });
  const showing = [
    page("a", {
      ui: { resourceUri: "ui://a/1" },
      "ui/resourceUri": "ui://a/2",
      "openai/outputTemplate": "UI://a/3",
    }),
    page("b", { ui: { resourceUri: "ui://a/1" }, "ui/resourceUri": "ui://a/1" }),
    page("c", { ui: { resourceUri: "file:///a" }, "ui/resourceUri": 1 }),
    page("d", { ui: "ui://a/4" }),
    page("e", "ui://a/5"),
    page("hidden", { ui: { resourceUri: "ui://a/6" } }),
  ];
  const pages = [
    ["ui://a/1", ["a", "b"]],
    ["ui://a/2", ["a"]],
    ["UI://a/3", ["a"]],
  ];
  for (const tools of [showing, [...many, ...showing]]) {
    const admits = (raw: string) => raw !== "hidden";
    const offer = readOffer({ tools: tools as never, prompts: [] }, { admits }, true);
    expect([...offer.pages]).toEqual(pages);
  }
});
