import type { Tool } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../model/run-slices.js";
import { buildEntryList, type EntryList, type EntrySource, entryListSteps } from "./entry-list.js";

const { tools } = buildCatalog([{ server: "fs", tools: ["a", "b", "c", "d"] }]);

/** Texts of one, two, three and four bytes a character. */
const texts = ['"a"', '"é"', '"文"', '"🙂"'];

function listWith(room: number): EntryList {
  return buildEntryList(
    tools.map((tool, index) => ({ tool, json: texts[index] ?? "" })),
    room,
  );
}

describe("a list of entries", () => {
  it.each([0, 1, 1_000])("holds every entry once, with room for %i bytes", (room) => {
    const list = listWith(room);
    expect(list.tools).toEqual(tools);
    expect(JSON.parse(`[${list.slice(0, 4)}]`)).toEqual(["a", "é", "文", "🙂"]);
    expect(JSON.parse(`[${list.slice(1, 3)}]`)).toEqual(["é", "文"]);
    expect(`${list.slice(2, 2)}${list.slice(4, 4)}`).toBe("");
  });

  it("is written in steps of 100 entries, or of 256 KB where entries are large (SAFE-4)", () => {
    const [tool] = tools as [Tool];
    const steps = (json: string, count: number) =>
      [...entryListSteps(Array<EntrySource>(count).fill({ tool, json }), 0)].length;
    expect([99, 100, 199, 200].map((count) => steps('"a"', count))).toEqual([0, 1, 1, 2]);
    const large = JSON.stringify("a".repeat(128 * 1024));
    expect([1, 2, 3, 4].map((count) => steps(large, count))).toEqual([0, 1, 1, 2]);
  });

  it("is held once, whatever part of it is asked for", () => {
    const list = listWith(0);
    expect(list.slice(1, 2).buffer).toBe(list.slice(0, 4).buffer);
    expect(runAtOnce(list.pickSteps(() => true))).toBe(list);
  });

  it("can be narrowed to some tools", () => {
    const some = runAtOnce(listWith(0).pickSteps(({ raw }) => raw === "a" || raw === "d"));
    expect(some.tools.map(({ raw }) => raw)).toEqual(["a", "d"]);
    expect(JSON.parse(`[${some.slice(0, 2)}]`)).toEqual(["a", "🙂"]);
    expect(JSON.parse(`[${some.slice(1, 2)}]`)).toEqual(["🙂"]);
    expect(runAtOnce(some.pickSteps(() => false)).slice(0, 0)).toHaveLength(0);
  });

  it("can be narrowed with some entries written anew", () => {
    const some = runAtOnce(
      listWith(0).pickSteps(
        ({ raw }) => raw !== "c",
        ({ raw }) => (raw === "b" ? '"longer than it was"' : undefined),
      ),
    );
    expect(JSON.parse(`[${some.slice(0, 3)}]`)).toEqual(["a", "longer than it was", "🙂"]);
  });

  it.each([0, 1_000])("takes from another what it has, in any order, with room for %i bytes", (room) => {
    const [a, b, c, d] = tools as [Tool, Tool, Tool, Tool];
    const sources: EntrySource[] = [
      { tool: c, json: "", rest: { position: 2, skip: 0 } },
      { tool: d, json: "", rest: { position: 3, skip: 0 } },
      { tool: a, json: "", rest: { position: 0, skip: 0 } },
      { tool: b, json: '"è', rest: { position: 1, skip: 3 } },
      { tool: c, json: "", rest: { position: 2, skip: 0 } },
      { tool: d, json: '"d"' },
    ];
    const list = buildEntryList(sources, room, listWith(0));
    expect(JSON.parse(`[${list.slice(0, 6)}]`)).toEqual(["文", "🙂", "a", "è", "文", "d"]);
    expect(JSON.parse(`[${list.slice(3, 5)}]`)).toEqual(["è", "文"]);
    expect(list.tools).toEqual([c, d, a, b, c, d]);
  });
});
