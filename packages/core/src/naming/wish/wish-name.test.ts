import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { NAMING_STYLES } from "./style.js";
import { flatten, wishName, wishParts } from "./wish-name.js";

function toolOf(source: ToolSource): Tool {
  const [tool] = buildCatalog([source]).tools;
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

const plain = toolOf({ server: "data-grout", alias: "dg", tools: ["prism.refract/x"] });
const boxed = toolOf({ toolbox: "dev", server: "fs", version: 2, tools: [{ name: "a.read", version: 3 }] });

describe("what a style wishes for (NAME-1)", () => {
  it.each([
    ["flat", "dg_prism_refract_x", "fs_a_read"],
    ["toolbox", "dg_prism_refract_x", "dev__fs__a.read"],
    ["canonical", "data-grout@1/prism.refract/x@1", "dev:fs@2/a.read@3"],
    ["dotted", "data-grout.prism.refract/x", "fs.a.read"],
    ["slashed", "data-grout/prism.refract/x", "fs/a.read"],
    ["encoded", "prism__refract/x", "a__read"],
    ["prefixed", "mcp_data-grout__prism.refract/x", "mcp_fs__a.read"],
    ["bare", "prism.refract/x", "a.read"],
  ] as const)("%s: %s, and in a toolbox %s", (style, outside, inside) => {
    expect(wishName(plain, style)).toBe(outside);
    expect(wishName(boxed, style)).toBe(inside);
  });

  it.each(NAMING_STYLES)("%s: its parts make up the wish", (style) => {
    for (const tool of [plain, boxed]) {
      const { head, separator, body } = wishParts(tool, style);
      expect(`${head}${separator}${body}`).toBe(wishName(tool, style));
    }
  });

  it("says what is left of the owner where the tool's own name has it already", () => {
    const left = (tool: Tool) => NAMING_STYLES.map((style) => wishParts(tool, style).headWithoutOwner);
    expect(left(plain)).toEqual(["", "", "", "", "", "", "mcp", ""]);
    expect(left(boxed)).toEqual(["", "dev", "dev", "", "", "", "mcp", ""]);
  });

  it("flattens dots and slashes, and nothing else", () => {
    expect(flatten("a.b/c.d")).toBe("a_b_c_d");
    expect(flatten("a/b")).toBe("a_b");
    expect(flatten("a.b")).toBe("a_b");
    expect(flatten("a-b c")).toBe("a-b c");
  });
});
