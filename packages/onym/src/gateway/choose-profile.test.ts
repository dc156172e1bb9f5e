import { createProfileSet } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";
import { chooseProfile, clientInfoOf, type ProfileInput } from "./choose-profile.js";

const CURSOR = { name: "cursor-vscode", version: "1" };

function choose(given: {
  readonly headers?: readonly (readonly [string, string])[];
  readonly profile?: string;
  readonly token?: string;
  readonly clientInfo?: ProfileInput["clientInfo"];
  readonly configured?: string;
  readonly detect?: boolean;
}) {
  const { profile, chosenBy, problem } = chooseProfile({
    hints: {
      headers: new Map(given.headers ?? []),
      profile: given.profile,
      as: undefined,
      terms: { profile: given.token, as: undefined, toolboxes: undefined },
    },
    clientInfo: given.clientInfo,
    configured: given.configured,
    detect: given.detect ?? true,
    profiles: createProfileSet([]),
  });
  return { id: profile.id, chosenBy, problem };
}

describe("the order of choice (GW-3)", () => {
  const everything = {
    headers: [
      ["x-openai-mode", "true"],
      ["x-onym-profile", "anthropic"],
    ],
    profile: "gemini",
    token: "mcp",
    configured: "bedrock",
    clientInfo: CURSOR,
  } as const;

  it.each([
    ["x-openai-mode comes first", everything, "openai", "header x-openai-mode"],
    [
      "then x-onym-profile",
      { ...everything, headers: [["x-onym-profile", "anthropic"]] },
      "anthropic",
      "header x-onym-profile",
    ],
    ["then the endpoint", { ...everything, headers: [] }, "gemini", "endpoint"],
    ["then the caller's token", { token: "mcp", configured: "bedrock", clientInfo: CURSOR }, "mcp", "token"],
    ["then the config", { configured: "bedrock", clientInfo: CURSOR }, "bedrock", "config"],
    ["then what is detected", { clientInfo: CURSOR }, "cursor", 'clientInfo "cursor-vscode"'],
    ["else universal", {}, "universal", "default (client not recognised)"],
    [
      "detection can be off",
      { clientInfo: CURSOR, detect: false },
      "universal",
      "default (detection is off)",
    ],
  ] as const)("%s", (_, given, id, by) => {
    expect(choose(given)).toEqual({ id, chosenBy: by, problem: undefined });
  });

  it("takes x-openai-mode only when it is true", () => {
    expect(choose({ headers: [["x-openai-mode", "TRUE"]] }).id).toBe("openai");
    expect(choose({ headers: [["x-openai-mode", "false"]], clientInfo: CURSOR }).id).toBe("cursor");
  });

  it.each(["__proto__", "constructor", "toString", "no-such", "", "a\u202eb"])(
    "says that there is no profile %j, and never throws",
    (profile) => {
      const { problem } = choose({ profile });
      expect(problem).toMatch(/^There is no profile "/);
      expect(problem).not.toContain("\u202e");
    },
  );

  it("takes ids in any case, because people write addresses by hand", () => {
    expect(choose({ profile: "Cursor" })).toEqual({ id: "cursor", chosenBy: "endpoint", problem: undefined });
    expect(choose({ headers: [["x-onym-profile", "OPENAI"]] }).id).toBe("openai");
  });

  it.each([
    ["curser", "cursor"],
    ["claude_code", "claude-code"],
    ["vs-code", "vscode"],
    ["Visual Studio Code", "vscode"],
  ])("names what %j was probably meant to be", (profile, near) => {
    expect(choose({ profile }).problem).toContain(`Did you mean "${near}"?`);
    expect(choose({ profile: "no-such-thing-at-all" }).problem).not.toContain("Did you mean");
  });

  it("shows an escape of a stranger's id once", () => {
    expect(choose({ profile: "a\nb" }).problem).toContain('"a\\u{000A}b"');
  });

  it("recognises nothing in a client info of wrong types", () => {
    for (const clientInfo of [
      { name: 5 },
      { name: { toString: 1 } },
      { name: ["x"] },
      JSON.parse('{"__proto__":1}'),
    ])
      expect(choose({ clientInfo }).id).toBe("universal");
  });
});

describe("clientInfoOf", () => {
  it("is an object or nothing", () => {
    expect(clientInfoOf({ name: "a" })).toEqual({ name: "a" });
    for (const value of [undefined, null, "a", 5, []]) expect(clientInfoOf(value)).toBeUndefined();
  });
});
