import { toolKeyOf } from "@onym/core";
import { expect, it } from "vitest";
import { showOwner, showOwnerOfKey } from "./show-owner.js";

it("tells tools in toolboxes apart, from the tool or from its key, and shows nothing invisible", () => {
  const tool = { toolbox: "dev", server: "git\u202Ehub", raw: "search" };
  expect(showOwner(tool)).toBe("dev / git\\u{202E}hub / search");
  expect(showOwnerOfKey(toolKeyOf(tool))).toBe(showOwner(tool));
});

it("says nothing of tools outside of toolboxes", () => {
  expect(showOwner({ toolbox: undefined, server: "a", raw: "b" })).toBe("");
  expect(showOwnerOfKey(toolKeyOf({ server: "a", raw: "b" }))).toBe("");
});
