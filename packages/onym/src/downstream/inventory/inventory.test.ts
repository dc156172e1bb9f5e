import { describe, expect, it, vi } from "vitest";
import type { Inventory } from "../downstream.js";
import {
  EMPTY_INVENTORY,
  isSameInventory,
  loadTools,
  packInventory,
  packTexts,
  toolNamesOf,
  unpackInSlices,
  unpackTools,
} from "./inventory.js";

const tools = (count: number): Inventory["tools"] =>
  Array.from({ length: count }, (_, n) => ({
    name: `tool_${n} \u00e9 \u6587 \ud800`,
    inputSchema: { type: "object", properties: JSON.parse(`{"__proto__": {"const": ${n}}}`) },
    description: "What it does. ".repeat(30),
  }));
const textsOf = (listed: Inventory["tools"]): readonly string[] => listed.map((tool) => JSON.stringify(tool));

it("leaves a small inventory as it is", async () => {
  const small = { ...EMPTY_INVENTORY, tools: tools(3) };
  expect(await packInventory(small, textsOf(small.tools))).toBe(small);
  expect(await loadTools(small)).toBe(small.tools);
  expect(toolNamesOf(small)).toEqual(small.tools.map(({ name }) => name));
  expect(toolNamesOf(undefined)).toEqual([]);
});

it("keeps the tools of a large one, which can be had again when they are gone, also in slices (SAFE-4)", async () => {
  const large = { ...EMPTY_INVENTORY, tools: tools(3_000), instructions: "Use it." };
  const texts = textsOf(large.tools);
  const packed = await packInventory(large, texts);
  expect(packed.instructions).toBe("Use it.");
  expect(packed.tools).toBe(large.tools);
  expect(await loadTools(packed)).toBe(large.tools);
  expect(toolNamesOf(packed)).toEqual(large.tools.map(({ name }) => name));
  const bytes = await packTexts(texts);
  expect(bytes.length).toBeLessThan(texts.join(",").length / 5);
  const text = JSON.stringify(large.tools);
  expect(JSON.stringify(unpackTools(bytes))).toBe(text);
  expect(JSON.stringify(await unpackInSlices(bytes))).toBe(text);
});

it("compares large ones by their entries (GW-7)", async () => {
  const packedOf = (listed: Inventory["tools"]): Promise<Inventory> =>
    packInventory({ ...EMPTY_INVENTORY, tools: listed }, textsOf(listed));
  const [first, ...rest] = tools(3_000);
  const turned = { description: first?.["description"], ...first };
  const before = await packedOf([first ?? {}, ...rest]);
  expect(await isSameInventory(before, await packedOf([turned, ...rest]))).toBe(true);
  expect(await isSameInventory(before, await packedOf([{ ...turned, title: "T" }, ...rest]))).toBe(false);
});

const TOOL = { name: "a", inputSchema: { type: "object", properties: { x: { type: "string" } } } };
const BASE: Inventory = {
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "s", version: "1" },
  instructions: "How to",
  tools: [TOOL, { name: "b" }],
  resources: [],
  templates: [],
  prompts: [],
  problems: [],
};

describe("isSameInventory (GW-7)", () => {
  it("takes members in another order for the same, at every depth", async () => {
    const { inputSchema, name } = TOOL;
    const { type, properties } = inputSchema;
    const turned = { inputSchema: { properties, type }, name };
    expect(await isSameInventory(BASE, { ...BASE, tools: [turned, { name: "b" }] })).toBe(true);
    expect(await isSameInventory(BASE, { ...BASE, serverInfo: { version: "1", name: "s" } })).toBe(true);
  });

  it.each<readonly [string, Partial<Inventory>]>([
    ["a tool more", { tools: [...BASE.tools, { name: "c" }] }],
    ["a tool less", { tools: [TOOL] }],
    ["another description", { tools: [TOOL, { name: "b", description: "B" }] }],
    ["another schema", { tools: [{ name: "a", inputSchema: { type: "object" } }, { name: "b" }] }],
    ["a list in another order of entries", { tools: BASE.tools.toReversed() }],
    ["a resource", { resources: [{ uri: "a://b" }] }],
    ["a template", { templates: [{ uriTemplate: "a://{b}" }] }],
    ["a prompt", { prompts: [{ name: "p" }] }],
    ["other instructions", { instructions: undefined }],
    ["another version", { serverInfo: { name: "s", version: "2" } }],
    [
      "a problem",
      { problems: [{ code: "list-failed", method: "tools/list", message: "tools/list failed" }] },
    ],
  ])("sees %s", async (_, more) => {
    expect(await isSameInventory(BASE, { ...BASE, ...more })).toBe(false);
  });

  it("lets others have their turn over long lists (SAFE-4)", async () => {
    const tools = Array.from({ length: 4 }, (_, at) => ({ name: `t${at}` }));
    // Every look at the clock is a slice later.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    let turns = 0;
    const count = setImmediate(function again() {
      turns += 1;
      if (turns < 100) setImmediate(again);
    });
    expect(await isSameInventory({ ...BASE, tools }, { ...BASE, tools: structuredClone(tools) })).toBe(true);
    clearImmediate(count);
    clock.mockRestore();
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
