import { describe, expect, it } from "vitest";
import { findProfile, listProfiles, universalProfile } from "./find-profile.js";

describe("findProfile", () => {
  it("finds a profile by its id, and the same one each time (RULE-2)", () => {
    expect(findProfile("openai")?.id).toBe("openai");
    expect(findProfile("openai")).toBe(findProfile("openai"));
  });

  it.each(["__proto__", "constructor", "toString", "", "OpenAI", "openai "])("knows no %j (SAFE-1)", (id) => {
    expect(findProfile(id)).toBeUndefined();
  });

  it("lists every profile once, by code point of the id (GW-4)", () => {
    const ids = listProfiles().map((profile) => profile.id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(listProfiles()).toEqual(listProfiles());
  });

  it("has a profile for a client nobody knows (RULE-2)", () => {
    expect(universalProfile()).toBe(findProfile("universal"));
  });
});
