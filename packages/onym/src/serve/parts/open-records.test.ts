import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSnapshot, EMPTY_LOCK, formatLock, type Lock, parseLock } from "@onym/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Log } from "../../model/log.js";
import { createFileKeeper } from "./open-records.js";

let folder = "";
let file = "";
let told: string[] = [];
const log: Log = (severity, text) => void told.push(`${severity} ${text}`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "onym-lock-"));
  file = join(folder, "onym.lock");
  told = [];
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

/** The lock after these tools were named. */
function lockOf(before: Lock, profile: string, tools: readonly string[]): Lock {
  return buildSnapshot([{ server: "fs", tools }], { lock: before }).nextLock([profile]);
}
const onDisk = (): Lock => {
  const read = parseLock(readFileSync(file, "utf8"));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
};
const names = ({ profiles }: Lock, profile: string): readonly string[] => [
  ...(profiles.get(profile)?.names.keys() ?? []),
];

describe("the lock of a running gateway (LOCK-1)", () => {
  it("is on disk when it is kept, and read at the next start", () => {
    const keeper = createFileKeeper(file, log);
    expect(keeper.current()).toBe(EMPTY_LOCK);
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["a"]));
    expect(names(onDisk(), "openai")).toEqual(["fs_a"]);
    expect(names(createFileKeeper(file, log).current(), "openai")).toEqual(["fs_a"]);
  });

  it("is the same text whether profiles came one by one or all at once", () => {
    const keeper = createFileKeeper(file, log);
    const tools = ["a", "B.c", `do_${"very_".repeat(12)}long_thing`];
    for (const profile of ["openai", "cursor", "canonical", "claude-code"]) {
      const { profiles, tools: seen } = lockOf(keeper.current(), profile, tools);
      const known = keeper.current().tools;
      keeper.keep({ profiles, tools: known.size === 0 ? seen : known });
      expect(readFileSync(file, "utf8")).toBe(formatLock(onDisk()));
    }
    expect([...onDisk().profiles.keys()]).toEqual(["canonical", "claude-code", "cursor", "openai"]);
  });

  it("is the same text when it is kept in slices, while others have their turn (SAFE-4)", async () => {
    const keeper = createFileKeeper(file, log);
    const tools = Array.from({ length: 20_000 }, (_, index) => `tool_${index}`);
    const next = lockOf(EMPTY_LOCK, "openai", tools);
    let turns = 0;
    const count = setImmediate(function again() {
      turns += 1;
      if (turns < 1_000) setImmediate(again);
    });
    expect(await keeper.keepInSlices?.(EMPTY_LOCK, next)).toBe(true);
    clearImmediate(count);
    expect(turns).toBeGreaterThan(1);
    expect(keeper.current()).toBe(next);
    expect(readFileSync(file, "utf8")).toBe(formatLock(next));
  });

  it("is not kept in slices where other names went on record meanwhile", async () => {
    const keeper = createFileKeeper(file, log);
    const late = keeper.keepInSlices?.(EMPTY_LOCK, lockOf(EMPTY_LOCK, "openai", ["a"]));
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["b"]));
    expect(await late).toBe(false);
    expect(names(onDisk(), "openai")).toEqual(["fs_b"]);
  });

  it("keeps in slices what another process wrote meanwhile, too", async () => {
    const keeper = createFileKeeper(file, log);
    const late = keeper.keepInSlices?.(EMPTY_LOCK, lockOf(EMPTY_LOCK, "openai", ["a"]));
    writeFileSync(file, formatLock(lockOf(EMPTY_LOCK, "cursor", ["b"])));
    expect(await late).toBe(true);
    expect(names(onDisk(), "openai")).toEqual(["fs_a"]);
    expect(names(onDisk(), "cursor")).toEqual(["fs_b"]);
  });

  it("keeps what another process wrote meanwhile", () => {
    const keeper = createFileKeeper(file, log);
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["a"]));
    const theirs = lockOf(lockOf(keeper.current(), "cursor", ["a"]), "openai", ["a", "b"]);
    writeFileSync(file, formatLock(theirs));
    keeper.keep(lockOf(keeper.current(), "openai", ["a", "c"]));
    for (const lock of [keeper.current(), onDisk()]) {
      expect(names(lock, "openai").toSorted()).toEqual(["fs_a", "fs_b", "fs_c"]);
      expect(names(lock, "cursor")).toEqual(["fs_a"]);
    }
  });

  it("keeps the name that clients saw where another process gave the tool another", () => {
    const keeper = createFileKeeper(file, log);
    const shown = lockOf(EMPTY_LOCK, "openai", ["a"]);
    const [[, entry] = ["", undefined]] = shown.profiles.get("openai")?.names ?? [];
    if (entry === undefined) throw new Error("no name");
    const theirs: Lock = {
      ...shown,
      profiles: new Map([["openai", { style: "flat", names: new Map([["a_theirs", entry]]) }]]),
    };
    writeFileSync(file, formatLock(theirs));
    keeper.keep(shown);
    const next = buildSnapshot([{ server: "fs", tools: ["a"] }], { lock: onDisk() });
    expect(next.namesFor("openai").tools.map(({ name }) => name)).toEqual(["fs_a"]);
    expect(next.resolve("a_theirs", { profile: "openai" }).outcome).toBe("resolved");
  });

  it("that cannot be read is never overwritten, and told once; names go on", () => {
    const keeper = createFileKeeper(file, log);
    writeFileSync(file, "<<<<<<< ours");
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["a"]));
    keeper.keep(lockOf(keeper.current(), "openai", ["a", "b"]));
    expect(readFileSync(file, "utf8")).toBe("<<<<<<< ours");
    expect(names(keeper.current(), "openai")).toEqual(["fs_a", "fs_b"]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^error names cannot be recorded/);

    rmSync(file);
    keeper.keep(lockOf(keeper.current(), "openai", ["a", "b", "c"]));
    expect(names(onDisk(), "openai")).toEqual(["fs_a", "fs_b", "fs_c"]);
    writeFileSync(file, "{");
    keeper.keep(lockOf(keeper.current(), "openai", ["d"]));
    expect(told).toHaveLength(2);
  });

  it("that cannot be written is told once, and no draft is left behind", () => {
    const missing = join(folder, "gone", "onym.lock");
    const keeper = createFileKeeper(missing, log);
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["a"]));
    keeper.keep(lockOf(EMPTY_LOCK, "openai", ["a", "b"]));
    expect(told).toHaveLength(1);
    expect(names(keeper.current(), "openai")).toEqual(["fs_a", "fs_b"]);
  });

  it("that is broken at the start is refused, and left as it is", () => {
    writeFileSync(file, "{");
    expect(() => createFileKeeper(file, log)).toThrow(/cannot be read|lock/i);
    expect(readFileSync(file, "utf8")).toBe("{");
  });
});
