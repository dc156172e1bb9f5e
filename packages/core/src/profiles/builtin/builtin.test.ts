import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findProfile, listProfiles } from "../find-profile.js";

interface ReferenceRow {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly pattern: string;
  readonly minLength: number;
  readonly maxLength: number | null;
  readonly safeMaxLength?: number;
  readonly firstChar: string | null;
  readonly prefixAddedByClient: string | null;
  readonly suffixAddedByClient?: string;
  readonly prefixMaxLength?: number;
  readonly combinedMaxLength: number | null;
  readonly safeCombinedMaxLength?: number;
  readonly maxTools: number | null;
  readonly caseSensitive: boolean;
  readonly clientInfoNames: readonly string[];
  readonly userAgentHints: readonly string[];
  readonly listChanged: boolean | null;
  readonly confidence: string;
  readonly asOf: string;
  readonly onViolation: string;
  readonly version?: string;
  readonly retired?: boolean;
}

const file = new URL("../../../../../test/data/profiles.json", import.meta.url);
const rows: readonly ReferenceRow[] = JSON.parse(readFileSync(file, "utf8"));
const absent = <T>(value: T | null): T | undefined => value ?? undefined;

describe("the built-in rows", () => {
  it("are the researched ones and the eight named ids (RULE-1, RULE-2)", () => {
    expect(rows.length).toBeGreaterThanOrEqual(95);
    const named = ["anthropic", "bedrock", "canonical", "gemini", "mcp", "openai", "sep-986", "universal"];
    const ids = [...rows.map((row) => row.id), ...named].sort();
    expect(listProfiles().map((profile) => profile.id)).toEqual(ids);
  });

  it.each(rows)("$id says what the research says (RULE-1)", (row) => {
    expect(findProfile(row.id)).toMatchObject({
      id: row.id,
      kind: row.kind,
      title: row.title,
      pattern: row.pattern,
      minLength: row.minLength,
      maxLength: absent(row.maxLength),
      safeMaxLength: row.safeMaxLength,
      firstChar: absent(row.firstChar),
      prefixAddedByClient: absent(row.prefixAddedByClient),
      suffixAddedByClient: row.suffixAddedByClient,
      combinedMaxLength: absent(row.combinedMaxLength),
      safeCombinedMaxLength: row.safeCombinedMaxLength,
      maxTools: absent(row.maxTools),
      caseSensitive: row.caseSensitive,
      clientInfoNames: row.clientInfoNames,
      userAgentHints: row.userAgentHints,
      listChanged: absent(row.listChanged),
      confidence: row.confidence,
      asOf: row.asOf,
      onViolation: row.onViolation,
      version: row.version,
      retired: row.retired ?? false,
    });
    expect(findProfile(row.id)?.client.prefixMaxLength).toBe(row.prefixMaxLength);
  });

  it.each([
    ["mcp", "^[A-Za-z0-9_.-]{1,128}$", 128],
    ["sep-986", "^[A-Za-z0-9_./-]{1,64}$", 64],
    ["openai", "^[a-zA-Z0-9_-]{1,64}$", 64],
    ["anthropic", "^[a-zA-Z0-9_-]{1,128}$", 128],
    ["gemini", "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$", 63],
    ["bedrock", "^[a-zA-Z0-9_-]{1,64}$", 64],
    ["canonical", "^[\\s\\S]+$", Infinity],
    ["universal", "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", 46],
  ])("%s has the rules that it must have (RULE-2)", (id, pattern, maxLength) => {
    expect(findProfile(id)?.pattern).toBe(pattern);
    expect(findProfile(id)?.rules.maxLength).toBe(maxLength);
  });

  it("leave only four profiles without restriction (RULE-2)", () => {
    const free = listProfiles().filter((profile) => profile.unrestricted);
    expect(free.map((profile) => profile.id)).toEqual(["canonical", "llama-cpp", "mcp-inspector", "postman"]);
    expect(free.every((profile) => profile.rules.shape === "any")).toBe(true);
  });

  it.each([
    ["moonshot-kimi", "_"],
    ["ollama", "1"],
    ["universal", "_"],
    ["vllm", "_"],
  ])("%s is given no name that starts with %s, whatever its pattern says (RULE-4)", (id, character) => {
    const rules = findProfile(id)?.rules;
    expect(rules?.alphabet).toContain(character);
    expect(rules?.first).not.toContain(character);
  });

  it("name the release that was run where they were observed, and mark products that are no more (RULE-6)", () => {
    for (const { id, confidence, version } of listProfiles())
      expect([id, version !== undefined]).toEqual([id, confidence === "observed"]);
    const retired = listProfiles().filter((profile) => profile.retired);
    expect(retired.map(({ id }) => id)).toEqual(["amazon-q-cli", "roo-code"]);
  });

  it.each([
    ["zed", "grep"],
    ["continue", "Fetch"],
    ["hf-mcp-client", "task_complete"],
    ["hermes-agent", "list_resources"],
    ["librechat", "oauth"],
    ["genkit", "constructor"],
    ["beeai", "final_answer"],
    ["voltagent", "__proto__"],
    ["qwen-code", "__proto__"],
    ["vercel-ai-sdk", "constructor"],
    ["universal", "constructor"],
  ])("reserve in %s the name %s (RULE-8)", (id, name) => {
    expect(findProfile(id)?.rules.reserved).toContain(name);
  });

  it("give out no sequence that a client strips (RULE-4)", () => {
    expect(findProfile("amazon-q-cli")?.rules.forbidden).toEqual(["___"]);
    expect(findProfile("kiro")?.rules.forbidden).toEqual(["___"]);
    expect(findProfile("roo-code")?.rules.forbidden).toEqual(["--"]);
  });
});
