import { findProfile } from "@onym/core";
import { describe, expect, it } from "vitest";
import { explainSentForm } from "./sent-form.js";

function noteFor(id: string): string | undefined {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`there is no profile ${id}`);
  return explainSentForm([{ name: "docs_search" }], { profile, as: "onym" });
}

describe("what stands below a list of names", () => {
  it("is the form that the client writes, where it adds something", () => {
    expect(noteFor("claude-code")).toBe(
      'claude-code shows and sends "mcp__onym__NAME" where Onym is registered as "onym": write that in its allow lists.',
    );
    expect(noteFor("cursor")).toBeUndefined();
  });

  it("is how to see a client's names, where the profile is no client", () => {
    for (const id of ["universal", "generic-safe"])
      expect(noteFor(id)).toBe(
        "these names fit every client; --profile CLIENT shows those of one, such as claude-code.",
      );
  });
});
