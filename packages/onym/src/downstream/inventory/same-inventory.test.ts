import { describe, expect, it, vi } from "vitest";
import type { Inventory } from "../downstream.js";
import { isSameInventory } from "./inventory.js";

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
