import { EMPTY_LOCK, type Lock } from "@onym/core";
import { describe, expect, it } from "vitest";
import { createAliasAdmission, MAX_ALIASES } from "./choose-profile.js";

function admission(lock: Lock = EMPTY_LOCK) {
  const admit = createAliasAdmission({ configured: () => "acme", lock: () => lock, maxOwn: () => 3 });
  let callers = 0;
  /** Each from another caller, unless one is named. */
  return (as: string | undefined, callerKey = `caller ${++callers}`, profile = "claude-code") =>
    admit({ as, profile }, callerKey);
}

describe("aliases that callers bring", () => {
  it("end after so many, and those admitted go on: one below, at and one above (limits: MAX_ALIASES of choose-profile)", () => {
    const admit = admission();
    for (let n = 0; n < MAX_ALIASES; n++) expect(admit(`alias-${n}`)).toBeUndefined();
    expect(admit("one-more")).toContain("one too many");
    expect(admit("one-more")).toContain('"naming.as"');
    expect(admit("alias-0")).toBeUndefined();
  });

  it("are counted for who brings them: one below, at and one above its share (limits.callerAliases) (SAFE-5)", () => {
    const admit = admission();
    for (const as of ["one", "two", "three"]) expect(admit(as, "ann")).toBeUndefined();
    expect(admit("four", "ann")).toContain('"limits.callerAliases"');
    expect(admit("three", "ann")).toBeUndefined();
    expect(admit("four", "bob")).toBeUndefined();
    expect(admit("four", "ann")).toBeUndefined();
  });

  it("count once for every profile, because each has a table of its own", () => {
    const admit = admission();
    for (const profile of ["openai", "cursor", "gemini"])
      expect(admit("one", "ann", profile)).toBeUndefined();
    expect(admit("one", "ann", "zed")).toContain('"limits.callerAliases"');
    expect(admit("one", "ann", "cursor")).toBeUndefined();
  });

  it("do not count where config, lock or the default know them", () => {
    const names = new Map();
    const admit = admission({
      profiles: new Map([["claude-code?as=work", { style: "flat", names }]]),
      tools: new Map(),
    });
    for (let n = 0; n < MAX_ALIASES; n++) admit(`alias-${n}`);
    for (const as of [undefined, "onym", "acme", "work"]) expect(admit(as)).toBeUndefined();
    expect(admit("wor")).toBeDefined();
  });

  it("are refused when they are absurdly long, without being counted", () => {
    const admit = admission();
    for (let n = 0; n < 2 * MAX_ALIASES; n++)
      expect(admit(`${n}${"x".repeat(1000)}`)).toContain("longer than");
    expect(admit("fine")).toBeUndefined();
  });
});
