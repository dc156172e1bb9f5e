import { buildSnapshot } from "@onym/core";
import { expect, it } from "vitest";
import { buildSession } from "../testing/test-callers.js";
import { bindCall } from "./standing-approvals.js";

it("binds a call to its own caller and launch, whoever called the same tool before (POL-2)", () => {
  const [tool] = buildSnapshot([{ server: "mail", tools: ["send"] }]).catalog.tools;
  if (tool === undefined) throw new Error("no tool");
  const bind = (principal: string, launch: string) =>
    bindCall({
      tool,
      caller: { ...buildSession(), principal },
      launch,
      lineage: { key: tool.key, former: [] },
    });
  const seen = [
    ["ann", "one"],
    ["bob", "one"],
    ["bob", "two"],
    ["ann", "one"],
  ].map(([principal = "", launch = ""]) => bind(principal, launch));
  expect(seen.map(({ principal, launch }) => [principal, launch])).toEqual([
    ["ann", "one"],
    ["bob", "one"],
    ["bob", "two"],
    ["ann", "one"],
  ]);
  expect(new Set(seen.map(({ digest, tool: key }) => `${digest} ${key}`)).size).toBe(1);
});
