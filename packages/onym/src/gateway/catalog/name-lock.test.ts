import { EMPTY_LOCK, type Lock } from "@onym/core";
import { describe, expect, it } from "vitest";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildSettings, profileNamed, serverOf, snapshotOf } from "../testing/test-callers.js";
import { createMemoryKeeper, type LockKeeper } from "./name-lock.js";

const OPENAI = { profile: profileNamed("openai"), as: undefined };

function countingKeeper(): LockKeeper & { readonly kept: Lock[] } {
  const kept: Lock[] = [];
  return { kept, current: () => kept.at(-1) ?? EMPTY_LOCK, keep: (next) => void kept.push(next) };
}

const fs = createMemoryDownstream({ tools: toolsNamed("a", "b") });
const settings = buildSettings({ servers: [serverOf(fs)] });
const look = (tools: LockKeeper, offer = fs.inventory) => {
  fs.inventory = offer;
  return snapshotOf({ downstreams: [fs], settings, tools });
};
const namesIn = ({ profiles }: Lock) => [...(profiles.get("openai")?.names ?? [])];
const digestsIn = ({ tools }: Lock) => [...tools.values()].map(({ digest }) => digest);
const offer = (tools: readonly object[]) => createMemoryDownstream({ tools: tools as never }).inventory;

describe("names on record (LOCK-1)", () => {
  it("are there once they are recorded; to ask for a table writes nothing", () => {
    const keeper = countingKeeper();
    const snapshot = look(keeper);
    const table = snapshot.tableOf(OPENAI);
    expect(keeper.kept).toHaveLength(0);
    snapshot.recording.recordTools(OPENAI);
    expect(namesIn(keeper.current()).map(([name]) => name)).toEqual(table.tools.map(({ name }) => name));
  });

  it("are written only when something changed", () => {
    const keeper = countingKeeper();
    look(keeper).recording.recordTools(OPENAI);
    const snapshot = look(keeper);
    snapshot.recording.recordTools(OPENAI);
    snapshot.recording.recordTools(OPENAI);
    look(keeper, offer(toolsNamed("b", "a"))).recording.recordTools(OPENAI);
    expect(keeper.kept).toHaveLength(1);
    snapshot.recording.recordTools({ ...OPENAI, profile: profileNamed("claude-code") });
    expect(keeper.kept).toHaveLength(2);
  });

  it("come with digests that follow the definitions", () => {
    const keeper = countingKeeper();
    look(keeper, offer(toolsNamed("a"))).recording.recordTools(OPENAI);
    const [before] = digestsIn(keeper.current());
    look(keeper, offer([{ name: "a", description: "Other" }])).recording.recordTools(OPENAI);
    expect(digestsIn(keeper.current())).not.toEqual([before]);
    expect(keeper.kept).toHaveLength(2);
  });

  it("stay as tombstones, and come back with their tool", () => {
    const keeper = countingKeeper();
    look(keeper, offer(toolsNamed("a", "b"))).recording.recordTools(OPENAI);
    look(keeper, offer(toolsNamed("a"))).recording.recordTools(OPENAI);
    expect(namesIn(keeper.current())).toEqual([
      ["fs_a", { key: expect.any(String) }],
      ["fs_b", { key: expect.any(String), retired: "removed" }],
    ]);
    look(keeper, offer(toolsNamed("a", "b"))).recording.recordTools(OPENAI);
    expect(namesIn(keeper.current()).every(([, { retired }]) => retired === undefined)).toBe(true);
  });

  it("are not lost when an older view is asked late", () => {
    const keeper = createMemoryKeeper(EMPTY_LOCK);
    const older = look(keeper, offer(toolsNamed("a")));
    const newer = look(keeper, offer(toolsNamed("a", "b")));
    newer.recording.recordTools(OPENAI);
    older.recording.recordTools(OPENAI);
    expect(namesIn(keeper.current()).map(([name]) => name)).toEqual(["fs_a", "fs_b"]);
  });
});

describe("names of many tools (SAFE-4)", () => {
  it("are recorded for one caller after the other, so that none starts again (LOCK-1)", async () => {
    let lock = EMPTY_LOCK;
    let busy = 0;
    const outcomes: boolean[] = [];
    const keeper: LockKeeper = {
      current: () => lock,
      keep: () => expect.unreachable(),
      async keepInSlices(before, next) {
        expect(++busy).toBe(1);
        await new Promise(setImmediate);
        busy -= 1;
        outcomes.push(lock === before);
        if (lock === before) lock = next;
        return outcomes.at(-1) === true;
      },
    };
    const many = offer(toolsNamed(...Array.from({ length: 1_000 }, (_, n) => `tool_${n}`)));
    const { recording } = look(keeper, many);
    const profiles = ["openai", "canonical", "universal"].map(profileNamed);
    await Promise.all(profiles.map((profile) => recording.recordTools({ profile, as: undefined })));
    // One that comes later may find its names on record already.
    expect(new Set(outcomes)).toEqual(new Set([true]));
    expect([...lock.profiles.keys()].sort()).toEqual(["canonical", "cursor", "openai", "universal"]);
  });

  it("are recorded for callers in turns, whatever one of them has waiting (SAFE-5)", async () => {
    const many = offer(toolsNamed(...Array.from({ length: 1_000 }, (_, n) => `tool_${n}`)));
    const { recording } = look(createMemoryKeeper(EMPTY_LOCK), many);
    const done: string[] = [];
    const record = (as: string, callerKey: string) =>
      recording
        .recordTools({ profile: profileNamed("universal"), as, callerKey })
        ?.then(() => done.push(`${callerKey} ${as}`));
    const flood = ["1", "2", "3", "4", "5", "6", "7", "8"].map((as) => record(as, "flood"));
    await Promise.all([...flood, record("own", "other"), record("8", "other")]);
    // The first may be under way when the other caller comes; the last is for both.
    const first = new Set(["flood 1", "flood 8", "other 8", "other own"]);
    const order = done.map((each) => first.has(each));
    expect(order.lastIndexOf(true)).toBeLessThan(5);
    expect(done.indexOf("other own")).toBeLessThan(done.indexOf("flood 3"));
    expect(done.indexOf("other 8")).toBeLessThan(done.indexOf("flood 3"));
  });
});
