// A lock that was written before rows were corrected from runs and before the exact name came first: every name in it stays.
// The tools are real ones of the corpus and those that clients were run with; the gateway was registered under two aliases.

import { buildSnapshot, findProfile, type Lock, listProfiles, parseLock, type ToolSource } from "@onym/core";
import { describe, expect, it } from "vitest";
import { readProjectFile } from "./project-files.js";

const sources: readonly ToolSource[] = JSON.parse(readProjectFile("test/data/lock-before/sources.json"));
const lock = readLock();
const ALIASES = ["onym", "acme-tools"];

function readLock(): Lock {
  const read = parseLock(readProjectFile("test/data/lock-before/onym.lock"));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}

/** Tool → name, as the lock has it for a profile. */
function onRecord(id: string, as: string): ReadonlyMap<string, string> {
  const recorded = lock.profiles.get(`${id}?as=${as}`) ?? lock.profiles.get(id);
  return new Map([...(recorded?.names ?? [])].map(([name, { key }]) => [key, name]));
}

/** Rows that an older lock knows as another. */
const FORMER_IDS: Readonly<Record<string, string>> = { "continue-ide": "continue" };
/** Rows that it does not know. */
const NEW_IDS = [
  "beeai",
  "docker-agent",
  "genkit",
  "hermes-agent",
  "mcp-use",
  "mistral-vibe",
  "openclaw",
  "voltagent",
];

describe.each(ALIASES)("a lock of before, with the gateway registered as %s", (as) => {
  it("keeps every name in every profile (LOCK-1) (NAME-3) (RULE-7)", () => {
    const snapshot = buildSnapshot(sources, { lock, as });
    for (const { id } of listProfiles()) {
      if (NEW_IDS.includes(id)) continue;
      const names = snapshot.namesFor(id).tools.map(({ name, tool }) => [tool.key, name] as const);
      expect([id, new Map(names)]).toEqual([id, onRecord(FORMER_IDS[id] ?? id, as)]);
    }
  });

  it("tells the names that a corrected rule endangers, and writes the lock without moving one (RULE-7)", () => {
    const snapshot = buildSnapshot(sources, { lock, as });
    const kimi = snapshot.namesFor("kimi-cli").problems;
    expect(kimi.map(({ code, tools }) => [code, tools])).toContainEqual([
      "locked-name-endangered",
      ["crm@1/a_b@1"],
    ]);
    const next = snapshot.nextLock(listProfiles());
    for (const [key, { names }] of lock.profiles) {
      if (findProfile(key.split("?")[0] ?? "") === undefined) continue;
      for (const [name, { key: tool, retired }] of names)
        expect([key, name, next.profiles.get(key)?.names.get(name)]).toEqual([
          key,
          name,
          { key: tool, ...(retired && { retired }) },
        ]);
    }
  });
});

it("would give other names without it, so that the lock is what keeps them (NAME-3)", () => {
  const names = buildSnapshot(sources).namesFor("openai").tools;
  const named = new Map(names.map(({ name, tool }) => [tool.raw, name]));
  expect(named.get("docs_search")).toBe("web-docs_docs_search");
  const before = onRecord("openai", "onym");
  const moved = names.filter(({ name, tool }) => before.get(tool.key) !== name);
  expect(moved.map(({ tool }) => tool.raw)).toContain("docs_search");
});
