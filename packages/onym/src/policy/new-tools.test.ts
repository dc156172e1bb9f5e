import { expect, it } from "vitest";
import { toolOf, toolsOf } from "../../../../test/policy/policy-of.js";
import { admitTools, isNewTool, NOTHING_KNOWN, noteServers } from "./new-tools.js";

const mail = { server: "mail", tools: ["send"] };
const send = toolOf(mail);
const purge = toolOf({ server: "mail", tools: ["purge"] });

it("knows what a server had when it was first seen, and no later tool until it is admitted (POL-1)", () => {
  expect(isNewTool(purge, NOTHING_KNOWN)).toBe(false);
  const known = noteServers(NOTHING_KNOWN, [{ owner: { server: "mail" }, tools: [send] }]);
  const later = noteServers(known, [{ owner: { server: "mail" }, tools: [send, purge] }]);
  expect(later).toBe(known);
  expect([send, purge].map((tool) => isNewTool(tool, later))).toEqual([false, true]);
  expect(isNewTool(purge, admitTools(later, [purge.key]))).toBe(false);
});

it("counts a server that had nothing as seen", () => {
  const known = noteServers(NOTHING_KNOWN, [{ owner: { server: "mail" }, tools: [] }]);
  expect(isNewTool(send, known)).toBe(true);
});

it("tells servers of one id in different toolboxes apart, and a tool without a name from its server", () => {
  const boxed = toolsOf([{ toolbox: "dev", server: "mail", tools: ["send", ""] }]);
  const known = noteServers(NOTHING_KNOWN, [{ owner: { server: "mail" }, tools: [send] }]);
  expect(boxed.map((tool) => isNewTool(tool, known))).toEqual([false, false]);
  const both = noteServers(known, [{ owner: { server: "mail", toolbox: "dev" }, tools: [] }]);
  expect(boxed.map((tool) => isNewTool(tool, both))).toEqual([true, true]);
  expect(isNewTool(send, both)).toBe(false);
});
