import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkName } from "./check-name.js";
import { defineProfile } from "./define/define-profile.js";
import { findProfile, listProfiles } from "./find-profile.js";
import { proposeName } from "./fit/propose-name.js";
import type { Profile } from "./profile.js";
import { matchesProfile } from "./sent/sent-name.js";

function profileOf(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: fc.constantFrom("a", "B", "3", "_", "-", ".", " ", ",", "/", "é"), maxLength: 150 }),
  fc.constantFrom("__proto__", "constructor", "toString", "\ud800", "a\udc00b", "\u202eabc", "\0"),
);
const aliases = fc.oneof(fc.constantFrom("onym", "acme-tools_gateway", "My Tools!", ""), fc.string());

describe("checkName", () => {
  it.each([
    ["mcp", "getUser", []],
    ["mcp", "admin.tools.list", []],
    ["mcp", "user-profile/update", ["error bad-characters 12"]],
    ["sep-986", "user-profile/update", []],
    ["mcp", "", ["error empty 0"]],
    ["mcp", "x".repeat(128), []],
    ["mcp", "x".repeat(129), ["error too-long 128"]],
    ["sep-986", "x".repeat(65), ["error too-long 64"]],
    ["mcp", "get leads", ["error spaces 3"]],
    ["mcp", "a,b", ["error commas 1"]],
    ["mcp", "a, b@c", ["error spaces 2", "error commas 1", "error bad-characters 4"]],
    ["mcp", "-get", ["warning edge-dash 0"]],
    ["mcp", "get-", ["warning edge-dash 3"]],
    ["mcp", ".get", ["warning edge-dot 0"]],
    ["mcp", "-get.", ["warning edge-dash 0", "warning edge-dot 4"]],
    ["openai", "-get-", []],
    ["openai", "get.leads", ["error bad-characters 3"]],
    ["gemini", "1get", ["error bad-first-character 0"]],
    ["gemini", "x".repeat(64), ["warning over-safe-length 63"]],
    ["moonshot-kimi", "_get", ["error bad-first-character 0"]],
    ["moonshot-kimi", "ab", ["error too-short 2"]],
    ["anthropic", "x".repeat(128), []],
    ["anthropic-messages", "x".repeat(65), ["warning over-safe-length 64"]],
    ["roo-code", "a--b", ["error forbidden-sequence 1"]],
    ["amazon-q-cli", "a___b", ["warning forbidden-sequence 1"]],
    ["universal", "get__leads", ["error forbidden-sequence 3"]],
    // Three parts are a toolbox name (BOX-8).
    ["universal", "dev__crm__get_leads", []],
    ["universal", "dev__crm__get__leads", ["error forbidden-sequence 3"]],
    ["universal", "dev___crm__get_leads", ["error forbidden-sequence 3"]],
    ["crewai", "dev__crm__get_leads", ["error forbidden-sequence 3"]],
    ["universal", "get_leads_", ["error bad-last-character 9"]],
    ["universal", "getLeads", ["error bad-characters 3"]],
    ["claude-code", "x".repeat(53), []],
    ["claude-code", "x".repeat(54), ["warning sent-over-safe-length 53"]],
    ["claude-code", "x".repeat(118), ["error sent-too-long 117"]],
    ["claude-ai", "x".repeat(65), ["error too-long 64"]],
    ["claude-desktop", "x".repeat(54), ["error sent-too-long 53"]],
    ["cursor", "x".repeat(56), ["error sent-too-long 55"]],
    ["continue", "get.leads", ["error sent-bad-characters 3"]],
    ["ollama", "get-leads", ["warning unsafe-characters 3"]],
    ["ollama", "python", ["warning reserved 0"]],
    ["hf-tgi", "no_tool", ["warning reserved 0"]],
    ["canonical", "salesforce@1/get leads, all@1", []],
    ["mcp", "__proto__", []],
  ])("finds in %s about %j: %j (RULE-3)", (id, name, expected) => {
    const found = checkName(name, profileOf(id));
    expect(found.map(({ severity, code, position }) => `${severity} ${code} ${position}`)).toEqual(expected);
  });

  it("lists characters once each, in order, whole and escaped (RULE-3, SAFE-1)", () => {
    const [problem] = checkName("a@é@😀\u202e\ud800@", profileOf("openai"));
    expect(problem?.message).toContain(
      'holds "@", "é", "😀", "\\u{202E}", "\\u{D800}", which openai does not allow',
    );
    expect(problem?.position).toBe(1);
    expect(problem?.fix).toBe('Use "a_______".');
  });

  it("says how many more there are when the list would never end (RULE-3)", () => {
    const name = Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
    expect(checkName(name, profileOf("openai"))[1]?.message).toMatch(/and 68 more, which/);
  });

  it("takes the alias into account, and blames it where it is to blame (RULE-4)", () => {
    const name = "x".repeat(45);
    expect(checkName(name, profileOf("claude-code"))).toEqual([]);
    const [long] = checkName(name, profileOf("claude-code"), { as: "acme-tools_gateway" });
    expect(long).toMatchObject({
      code: "sent-over-safe-length",
      position: 39,
      fix: `Use "${"x".repeat(39)}".`,
    });
    const [alias] = checkName("get", profileOf("crush"), { as: "my tools" });
    expect(alias).toMatchObject({ code: "bad-alias", severity: "error" });
    const [hopeless] = checkName("get", profileOf("cursor"), { as: "x".repeat(60) });
    expect(hopeless?.fix).toMatch(/shorter alias/);
  });

  it("reports a shape that only the pattern knows (RULE-3)", () => {
    const words = defineProfile({
      id: "words",
      pattern: "^[a-z]+(-[a-z]+)*$",
      alphabet: "abc-",
      first: "abc",
      maxLength: 20,
    });
    if (!words.ok) throw new Error(words.problem.message);
    expect(checkName("a--b", words.value)[0]).toMatchObject({ code: "bad-shape", severity: "error" });
  });

  it("finds an error or an unsafe length exactly where the name does not match (RULE-3, RULE-5)", () => {
    fc.assert(
      fc.property(fc.constantFrom(...listProfiles()), texts, aliases, (profile, name, as) => {
        const found = checkName(name, profile, { as });
        const isRefused = found.some(
          ({ severity, code }) => severity === "error" || code.endsWith("over-safe-length"),
        );
        expect([profile.id, name, as, isRefused]).toEqual([
          profile.id,
          name,
          as,
          !matchesProfile(name, profile, as),
        ]);
        for (const { position, message, fix } of found) {
          expect(position ?? 0).toBeLessThanOrEqual(name.length);
          expect(message + fix).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
        }
      }),
      { numRuns: 6000 },
    );
  });

  it("proposes a name that the profile takes, wherever one fits (RULE-3)", () => {
    fc.assert(
      fc.property(fc.constantFrom(...listProfiles()), texts, (profile, name) => {
        const proposal = proposeName(name, profile, "onym");
        expect(proposal).toBeDefined();
        expect(checkName(proposal ?? "", profile)).toEqual([]);
      }),
      { numRuns: 6000 },
    );
  });

  it("answers for texts of 100 kB in every profile (RULE-3, SAFE-1)", () => {
    const long = [" ", "A", "_", "-", "a1B,", "\ud800", "(via mcp-remote", "é😀"].map((text) =>
      text.repeat(100_000 / text.length),
    );
    for (const profile of listProfiles()) {
      for (const name of long) expect(Array.isArray(checkName(name, profile))).toBe(true);
    }
  });
});
