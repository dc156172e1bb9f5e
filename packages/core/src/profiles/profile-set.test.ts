import { describe, expect, it } from "vitest";
import { defineProfile } from "./define/define-profile.js";
import { correctProfile } from "./define/export-profile.js";
import { findProfile, listProfiles } from "./find-profile.js";
import { createProfileSet } from "./profile-set.js";

function value<T>(made: { ok: true; value: T } | { ok: false; problem: { message: string } }): T {
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}

const acme = value(
  defineProfile({
    id: "acme-chat",
    pattern: "^[a-z_]{1,40}$",
    clientInfoNames: ["Acme", "mcp-client", "acme-for-{server}"],
    userAgentHints: ["AcmeChat/{ver}"],
  }),
);
const cursor = value(correctProfile("cursor", { maxTools: 7, clientInfoNames: ["cursor-next"] }));
const set = createProfileSet([acme, cursor]);

describe("createProfileSet", () => {
  it("puts the user's profiles in the place of built-in ones and among them (RULE-7)", () => {
    expect(set.find("acme-chat")).toBe(acme);
    expect(set.find("cursor")).toBe(cursor);
    expect(set.find("zed")).toBe(findProfile("zed"));
    expect(set.find("__proto__")).toBeUndefined();
    const ids = set.list().map(({ id }) => id);
    expect(ids).toEqual([...new Set([...listProfiles().map(({ id }) => id), "acme-chat"])].sort());
    expect(set.list()).toContain(cursor);
  });

  it.each([
    [{ clientInfo: { name: "ACME" } }, "acme-chat", undefined],
    // A name that says nothing by itself says what the user says that it does.
    [{ clientInfo: { name: "mcp-client" } }, "acme-chat", undefined],
    [{ clientInfo: { name: "acme-for-Tools" } }, "acme-chat", "Tools"],
    [{ headers: new Map([["user-agent", "acmechat/1.2 (linux)"]]) }, "acme-chat", undefined],
    [{ clientInfo: { name: "cursor-next" } }, "cursor", undefined],
    [{ clientInfo: { name: "Zed" } }, "zed", undefined],
  ] as const)("recognises %j as %s (RULE-7)", (hints, id, alias) => {
    const found = set.detect(hints);
    expect(found).toMatchObject({ profile: { id }, confidence: "exact" });
    expect(found.profile).toBe(set.find(id));
    expect(found.alias).toBe(alias);
  });

  it("no longer knows what a correction leaves out (RULE-7)", () => {
    expect(set.detect({ clientInfo: { name: "cursor-vscode" } }).profile.id).toBe("universal");
    expect(createProfileSet([]).detect({ clientInfo: { name: "cursor-vscode" } }).profile.id).toBe("cursor");
  });
});
