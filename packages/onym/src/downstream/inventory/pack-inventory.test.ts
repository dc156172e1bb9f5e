import { expect, it } from "vitest";
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
