// A lock is a file that people edit: what Onym cannot have written there is not served.

import { describe, expect, it } from "vitest";
import type { ToolSource } from "../../catalog/source.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { defineProfile } from "../../profiles/define/define-profile.js";
import { listProfiles } from "../../profiles/find-profile.js";
import { matchesProfile } from "../../profiles/sent/sent-name.js";
import { buildSnapshot } from "../../snapshot/build-snapshot.js";
import type { Lock } from "./lock.js";

const sources: ToolSource[] = [{ server: "crm", tools: ["delete", "get", "list"] }];
const keyOf = (raw: string): ToolKey => toolKeyOf({ server: "crm", raw });

/** The lock of a client that has these names for these tools. */
function lockOf(profile: string, names: Readonly<Record<string, string>>): Lock {
  const entries = Object.entries(names).map(([name, raw]) => [name, { key: keyOf(raw) }] as const);
  return { profiles: new Map([[profile, { style: "flat", names: new Map(entries) }]]), tools: new Map() };
}

function tableOf(profile: string, names: Readonly<Record<string, string>>) {
  const table = buildSnapshot(sources, { lock: lockOf(profile, names) }).namesFor(profile);
  return {
    names: table.tools.map(({ name }) => name),
    problems: table.problems.map(({ code, tools }) => [code, ...tools]),
  };
}

describe("a name in the lock that Onym cannot have given out", () => {
  it.each([
    ["too long for any client", "x".repeat(129)],
    ["of thousands of characters", "x".repeat(5_000)],
    ["with a terminal's escape", "get\u001B[31m"],
    ["that is turned around", "get\u202Esdael"],
    ["that cannot be seen", "\u200B"],
    ["of nothing", ""],
  ])("%s is not served, and told (LOCK-1) (NAME-4)", (_, name) => {
    for (const profile of listProfiles().filter(
      ({ unrestricted, rules }) => !unrestricted && rules.maxLength <= 128,
    )) {
      const { names, problems } = tableOf(profile.id, { [name]: "get" });
      expect(names, profile.id).not.toContain(name);
      expect(
        names.every((each) => matchesProfile(each, profile, "onym")),
        profile.id,
      ).toBe(true);
      expect(problems, profile.id).toEqual([["locked-name-illegal", "crm@1/get@1"]]);
    }
  });

  it("is not served where every text is legal, if no caller can send it", () => {
    expect(tableOf("canonical", { ["x".repeat(4_096)]: "get" }).problems).toEqual([]);
    const { names, problems } = tableOf("canonical", { ["x".repeat(4_097)]: "get" });
    expect(problems).toEqual([["locked-name-illegal", "crm@1/get@1"]]);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThan(100);
  });

  it("stays on record for its tool, as a former name", () => {
    const name = "get\u001B[31m";
    const lock = buildSnapshot(sources, { lock: lockOf("cursor", { [name]: "get" }) }).nextLock(["cursor"]);
    expect(lock.profiles.get("cursor")?.names.get(name)).toEqual({ key: keyOf("get"), retired: "renamed" });
  });

  it("is no name of at most 128 characters, which former rules may have allowed (RULE-7)", () => {
    const name = "x".repeat(128);
    const { names, problems } = tableOf("cursor", { [name]: "get" });
    expect(names).toContain(name);
    expect(problems).toEqual([["locked-name-endangered", "crm@1/get@1"]]);
  });

  it("is no name that a user's own profile may have allowed before (RULE-7)", () => {
    const defined = defineProfile({ id: "mine", title: "Mine", pattern: "^[a-z_]{1,64}$" });
    if (!defined.ok) throw new Error(defined.problem.message);
    const own = defined.value;
    const served = (name: string): readonly string[] =>
      buildSnapshot(sources, { lock: lockOf("mine", { [name]: "get" }) })
        .namesFor(own)
        .tools.map((each) => each.name);
    expect(served("x".repeat(4_096))).toContain("x".repeat(4_096));
    expect(served("x".repeat(4_097))).not.toContain("x".repeat(4_097));
    expect(served("x\u001Bx")).not.toContain("x\u001Bx");
  });
});

describe("names in the lock that tools have from each other", () => {
  it.each([
    [
      "two that changed places",
      { crm_get: "delete", crm_delete: "get" },
      [["locked-names-swapped", "crm@1/delete@1", "crm@1/get@1"]],
    ],
    [
      "three in a ring",
      { crm_get: "delete", crm_list: "get", crm_delete: "list" },
      [["locked-names-swapped", "crm@1/delete@1", "crm@1/get@1", "crm@1/list@1"]],
    ],
    ["none: one has the other's name, which got a number", { crm_get: "delete", crm_get_2: "get" }, []],
    ["none: each has its own", { crm_get: "get", crm_delete: "delete" }, []],
    ["none: a chain that ends", { crm_get: "delete", crm_list: "get", other: "list" }, []],
  ])("are told: %s (LOCK-1)", (_, names, problems) => {
    const table = tableOf("cursor", names);
    expect(table.problems.map(([code, ...tools]) => [code, ...tools.sort()])).toEqual(problems);
    // Pins that were removed leave the same record, so the names stay (NAME-4).
    expect(table.names).toEqual(expect.arrayContaining(Object.keys(names)));
  });

  it("are not told where the config pins them", () => {
    const lock = lockOf("cursor", { crm_get: "delete", crm_delete: "get" });
    const pins = { crm_get: "crm@1/delete@1", crm_delete: "crm@1/get@1" };
    expect(buildSnapshot(sources, { lock, pins }).namesFor("cursor").problems).toEqual([]);
    expect(
      buildSnapshot(sources, { lock, pins: { crm_get: "crm@1/delete@1" } }).namesFor("cursor").problems,
    ).toEqual([]);
  });
});
