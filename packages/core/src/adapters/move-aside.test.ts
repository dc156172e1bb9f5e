import { expect, it } from "vitest";
import { namesOnRecord } from "../naming/assign/names-on-record.js";
import { EMPTY_LOCK } from "../naming/lock/lock.js";
import { buildSnapshot } from "../snapshot/build-snapshot.js";
import { moveAside } from "./move-aside.js";

const long = "x".repeat(60);
const web = { server: "web", tools: ["search", "search_2", "fetch", long] };
const table = buildSnapshot([web]).namesFor("bedrock");
const nothing = namesOnRecord(EMPTY_LOCK);
const namesOf = (moved: ReturnType<typeof moveAside>): string[] =>
  [...moved.values()].map(({ name }) => name);

it("gives way to reserved names only (LIB-2)", () => {
  const moved = moveAside(table, new Set(["web_search", "unrelated"]), nothing);
  expect(namesOf(moved)).toEqual([expect.stringMatching(/^web_search_[a-z2-7]{8}$/)]);
  expect(moveAside(table, new Set(), nothing).size).toBe(0);
});

it("gives the same name whatever other tools come (LIB-2) (NAME-4)", () => {
  const more = { server: "w2", integration: "web", version: 2, tools: ["search", "search_3"] };
  const [before] = moveAside(table, new Set(["web_search"]), nothing).values();
  const after = moveAside(buildSnapshot([web, more]).namesFor("bedrock"), new Set(["web_search"]), nothing);
  expect(before && after.get(before.tool.key)?.name).toBe(before?.name);
});

it("stays within the limit (LIB-2)", () => {
  const name = `web_${long}`;
  expect(namesOf(moveAside(table, new Set([name]), nothing))).toEqual([
    expect.stringMatching(/^web_x{51}_[a-z2-7]{8}$/),
  ]);
});

it("leaves a name alone that another tool has, however it came to it (LIB-4)", () => {
  const [first] = moveAside(table, new Set(["web_search"]), nothing).values();
  const twin = { server: "w2", integration: "web", version: 2, tools: [first?.name.slice(4) ?? ""] };
  const crowded = buildSnapshot([web, twin]).namesFor("bedrock");
  expect(crowded.toolNamed(first?.name ?? "")?.server).toBe("w2");
  expect(namesOf(moveAside(crowded, new Set(["web_search"]), nothing))).toEqual([`${first?.name}_2`]);
});
