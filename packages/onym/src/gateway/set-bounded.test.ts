import { expect, it } from "vitest";
import { setBounded } from "./set-bounded.js";

it("keeps the newest entries, one below, at and above the limit", () => {
  const map = new Map<string, number>();
  setBounded(map, "a", 1, 2);
  setBounded(map, "b", 2, 2);
  expect([...map.keys()]).toEqual(["a", "b"]);
  setBounded(map, "a", 3, 2);
  setBounded(map, "c", 4, 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
