import { expect, it } from "vitest";
import { buildSnapshot } from "../snapshot/build-snapshot.js";
import { moveAside } from "./move-aside.js";

const long = "x".repeat(60);
const web = { server: "web", tools: ["search", "search_2", "fetch", long] };
const table = buildSnapshot([web]).namesFor("bedrock");

it("gives way to reserved names only (LIB-2)", () => {
  const moved = moveAside(table, new Set(["web_search", "unrelated"]));
  expect([...moved.values()]).toEqual([expect.stringMatching(/^web_search_[a-z2-7]{8}$/)]);
  expect(moveAside(table, new Set()).size).toBe(0);
});

it("gives the same name whatever other tools come (LIB-2) (NAME-4)", () => {
  const more = { server: "w2", integration: "web", version: 2, tools: ["search", "search_3"] };
  const [before] = moveAside(table, new Set(["web_search"]));
  const after = moveAside(buildSnapshot([web, more]).namesFor("bedrock"), new Set(["web_search"]));
  expect(before && after.get(before[0])).toBe(before?.[1]);
});

it("stays within the limit (LIB-2)", () => {
  const name = `web_${long}`;
  expect([...moveAside(table, new Set([name])).values()]).toEqual([
    expect.stringMatching(/^web_x{51}_[a-z2-7]{8}$/),
  ]);
});
