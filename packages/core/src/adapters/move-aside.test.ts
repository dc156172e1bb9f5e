import { expect, it } from "vitest";
import { buildSnapshot } from "../snapshot/build-snapshot.js";
import { moveAside } from "./move-aside.js";

const long = "x".repeat(60);
const snapshot = buildSnapshot([{ server: "web", tools: ["search", "search_2", "fetch", long] }]);
const table = snapshot.namesFor("bedrock");

it("gives way to reserved names only, and to no name that is taken (LIB-2)", () => {
  const moved = moveAside(table, new Set(["web_search", "web_search_3", "unrelated"]));
  expect([...moved.values()]).toEqual(["web_search_4"]);
  expect(moveAside(table, new Set()).size).toBe(0);
});

it("stays within the limit", () => {
  const name = `web_${long}`;
  expect([...moveAside(table, new Set([name])).values()]).toEqual([`${name.slice(0, 62)}_2`]);
});
