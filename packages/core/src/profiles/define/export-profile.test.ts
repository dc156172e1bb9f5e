import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { buildNamingTable } from "../../naming/build-naming-table.js";
import { EMPTY_LOCK } from "../../naming/lock/lock.js";
import { findProfile, listProfiles } from "../find-profile.js";
import type { Profile } from "../profile.js";
import { nameRulesFor } from "../sent/name-budget.js";
import { defineProfile } from "./define-profile.js";
import { correctProfile, exportProfile } from "./export-profile.js";

describe("exportProfile", () => {
  it.each(listProfiles().map(({ id }) => id))(
    "writes %s so that the same profile is made of it (RULE-7)",
    (id) => {
      const { lockedBefore: _lockedBefore, ...profile } = findProfile(id) as Profile;
      const written = JSON.parse(JSON.stringify(exportProfile(id)));
      const { client, prefixAddedByClient, suffixAddedByClient } = profile;
      const counted = {
        ...profile,
        prefixAddedByClient: client.prefix || (prefixAddedByClient && ""),
        suffixAddedByClient: client.suffix || (suffixAddedByClient && ""),
      };
      expect(defineProfile(written)).toEqual({ ok: true, value: counted });
    },
  );

  it("gives back what a profile of the user's own was made of (RULE-7)", () => {
    expect(exportProfile(define({ pattern: "^[a-z]+$", maxLength: 9 }))).toEqual({
      id: "acme",
      pattern: "^[a-z]+$",
      maxLength: 9,
    });
    const corrected = correct("claude-code", { prefix: "" });
    expect(exportProfile(corrected)).toMatchObject({ id: "claude-code", prefix: "", rewrite: "underscore" });
  });

  it("knows nothing of others (RULE-7)", () => {
    expect(exportProfile("no-such-client")).toBeUndefined();
    expect(exportProfile("__proto__")).toBeUndefined();
  });
});

describe("correctProfile", () => {
  it("changes what is said, and nothing else (RULE-7)", () => {
    const cursor = findProfile("cursor") as Profile;
    const corrected = correct("cursor", { maxTools: 7, asOf: "2026-11-17" });
    const { confidence: _was, version: _of, ...rest } = cursor;
    expect(corrected).toMatchObject({ ...rest, maxTools: 7, asOf: "2026-11-17", confidence: "assumed" });
  });

  it.each([
    ["claude-code", { combinedMaxLength: 30 }, 19],
    ["claude-code", { safeCombinedMaxLength: 40 }, 29],
    ["claude-code", { prefix: "" }, 64],
    ["opencode", { combinedMaxLength: 30 }, 25],
    ["openai", { maxLength: 20 }, 20],
  ] as const)("counts the corrected limits of %s: %j (RULE-7)", (id, changes, room) => {
    expect(nameRulesFor(correct(id, changes), "onym").maxLength).toBe(room);
  });

  it("reads the rules off a new pattern, not off the row's (RULE-7)", () => {
    const { rules, client } = correct("zed", { pattern: "^[a-z]+$" });
    expect(rules).toMatchObject({ alphabet: "abcdefghijklmnopqrstuvwxyz" });
    expect(client.sentPattern).toBe("^[a-z]+$");
  });

  it.each([
    ["claude-code", { combinedMaxLength: 30, safeCombinedMaxLength: 30 }, "onym"],
    ["openai", { pattern: "^[a-z_]{1,20}$", maxLength: 20 }, "onym"],
    // The row counts the alias, the correction does not, and the other way round.
    ["claude-code", { prefix: "" }, "acme"],
    ["cline", { prefix: "{server}/", sentPattern: "^[\\s\\S]+$" }, "acme"],
  ] as const)("moves no name of %s that is in a lock: %j (RULE-7)", (id, changes, as) => {
    const tools = ["get_leads", "Create-Lead", "list_everything_that_there_is_in_this_crm"];
    const { catalog } = { catalog: buildCatalog([{ server: "crm", tools }]) };
    const before = buildNamingTable(catalog, findProfile(id) as Profile, { as });
    const lock = { ...EMPTY_LOCK, profiles: new Map([[before.lockKey, before.nextLock()]]) };
    const after = buildNamingTable(catalog, correct(id, changes), { as, lock });
    expect(after.tools.map(({ name }) => name)).toEqual(before.tools.map(({ name }) => name));
  });

  it("makes a new profile of an id that is not built in (RULE-7)", () => {
    expect(correctProfile("acme", { pattern: "^[a-z]+$" })).toMatchObject({
      ok: true,
      value: { id: "acme" },
    });
    expect(correctProfile("acme", {})).toMatchObject({ ok: false, problem: { code: "bad-pattern" } });
  });
});

describe("a profile of the user's own that counts the alias since", () => {
  it("keeps the names in the lock that still fit, and gives others for an alias that leaves less room (RULE-7)", () => {
    const catalog = buildCatalog([{ server: "crm", tools: ["get", "x".repeat(30)] }]);
    const plain = define({ pattern: "^[a-z_]+$", maxLength: 40 });
    const before = buildNamingTable(catalog, plain, { as: "acme" });
    const lock = { ...EMPTY_LOCK, profiles: new Map([[before.lockKey, before.nextLock()]]) };
    const prefixed = define({ pattern: "^[a-z_]+$", prefix: "{server}__", combinedMaxLength: 30 });
    const names = buildNamingTable(catalog, prefixed, { as: "acme", lock }).tools.map(({ name }) => name);
    expect(names[0]).toBe("crm_get");
    expect(names[1]).not.toBe(before.tools[1]?.name);
    expect(names[1]?.length).toBeLessThanOrEqual(24);
  });
});

function correct(id: string, changes: Parameters<typeof correctProfile>[1]): Profile {
  const made = correctProfile(id, changes);
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}

function define(input: {
  pattern: string;
  prefix?: string;
  combinedMaxLength?: number;
  maxLength?: number;
}): Profile {
  const made = defineProfile({ id: "acme", ...input });
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}
