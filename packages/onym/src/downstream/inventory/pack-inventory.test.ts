import { expect, it } from "vitest";
import type { Inventory } from "../downstream.js";
import { EMPTY_INVENTORY, packInventory, packText, unpackTools } from "./inventory.js";

const tools = (count: number): Inventory["tools"] =>
  Array.from({ length: count }, (_, n) => ({
    name: `tool_${n} \u00e9 \u6587 \ud800`,
    inputSchema: { type: "object", properties: JSON.parse(`{"__proto__": {"const": ${n}}}`) },
    description: "What it does. ".repeat(30),
  }));

it("leaves a small inventory as it is", () => {
  const small = { ...EMPTY_INVENTORY, tools: tools(3) };
  expect(packInventory(small, JSON.stringify(small))).toBe(small);
});

it("keeps the tools of a large one, which can be had again when they are gone", () => {
  const large = { ...EMPTY_INVENTORY, tools: tools(3_000), instructions: "Use it." };
  const text = JSON.stringify(large);
  const packed = packInventory(large, text);
  expect(packed.instructions).toBe("Use it.");
  expect(packed.tools).toBe(large.tools);
  expect(JSON.stringify(unpackTools(packText(text)))).toBe(JSON.stringify(large.tools));
  expect(packText(text).length).toBeLessThan(text.length / 5);
});
