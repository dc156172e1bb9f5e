import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findProfile, listProfiles } from "../find-profile.js";
import type { NameRules, Profile } from "../profile.js";
import { nameRulesFor } from "./name-budget.js";
import { matchesProfile, sentName, simulateSending } from "./sent-name.js";

const ALIASES = ["onym", "acme-tools_gateway"];
/** Claude registers connectors under ids of this form. */
const UUID = "052a33b2-1912-47e2-9073-077a1de5d1d0";

function profileOf(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}

/** Names that the rules allow, lengths around the limit included. */
function namesOf(rules: NameRules): fc.Arbitrary<string> {
  const maxLength = Math.min(rules.maxLength, 130);
  if (rules.shape === "any") return fc.string({ unit: "binary", minLength: 1, maxLength });
  const first = fc.constantFrom(...(rules.first || rules.alphabet));
  const characters = fc.array(fc.constantFrom(...rules.alphabet), { maxLength, size: "max" });
  return fc
    .tuple(first, characters)
    .map(([start, rest]) => start + rest.join(""))
    .map((name) => rules.forbidden.reduce((text, sequence) => text.replaceAll(sequence, "a"), name))
    .map((name) => name.slice(0, maxLength).replace(rules.shape === "snake" ? /_$/ : /$^/, "a"))
    .map((name) => name.padEnd(rules.minLength, "a"))
    .filter((name) => !rules.forbidden.some((sequence) => name.includes(sequence)));
}

describe("sentName", () => {
  it.each([
    ["openai", "get_leads", "onym", "get_leads"],
    ["claude-code", "get_leads", "onym", "mcp__onym__get_leads"],
    ["claude-code", "get.leads", "my tools", "mcp__my_tools__get_leads"],
    ["claude-code", "get_leads", "plugin_acme_onym", "mcp__plugin_acme_onym__get_leads"],
    ["claude-code", "get_leads", "plugin:acme:onym", "mcp__plugin_acme_onym__get_leads"],
    ["claude-code", "get_leads", "claude.ai Acme Tools", "mcp__claude_ai_Acme_Tools__get_leads"],
    ["claude-code", "get_leads", UUID, `mcp__${UUID}__get_leads`],
    ["claude-desktop", "get_leads", UUID, "get_leads"],
    ["codex", "get-leads", "my-tools", "mcp__my_tools__get_leads"],
    ["codex", "get_leads", "mcp__onym", "mcp__onym__get_leads"],
    ["codex", "get_leads", "mcp--onym", "mcp__onym__get_leads"],
    ["codex", "get_leads", "mcp_onym", "mcp__mcp_onym__get_leads"],
    ["codex", "get_leads", "mcp_", "mcp__mcp___get_leads"],
    ["codex", "get_leads", "mcp", "mcp__mcp__get_leads"],
    ["cursor", "get_leads", "onym", "get_leads"],
    ["vscode", "get.leads", "Acme Tools", "mcp_acme_tools_get_leads"],
    ["vscode", "x".repeat(70), "onym", `mcp_onym_${"x".repeat(55)}`],
    ["windsurf", "get_leads", "onym", "mcp0_get_leads"],
    ["librechat", "get_leads", "onym", "get_leads_mcp_onym"],
    ["librechat", "onym_get_leads", "onym", "get_leads_mcp_onym"],
    ["librechat", "onym_", "onym", "onym__mcp_onym"],
    ["librechat", "ONYM_get_leads", "Onym", "get_leads_mcp_Onym"],
    ["librechat", "get_leads", " my tools! ", "get_leads_mcp_my_tools"],
    ["librechat", "get_leads", "_onym_", "get_leads_mcp__onym_"],
    ["n8n", "get_leads", "My Node!", "My_Node__get_leads"],
    ["n8n", "x".repeat(60), "MCP Client", `MCP_${"x".repeat(60)}`],
    ["n8n", "x".repeat(62), "MCP Client", `M_${"x".repeat(62)}`],
    ["n8n", "x".repeat(63), "MCP Client", "x".repeat(63)],
    ["continue", "get_leads", "Onym Tools", "get_leads"],
    ["continue-ide", "get_leads", "Onym Tools", "onym_tools_get_leads"],
    ["continue-ide", "onym_get_leads", "Onym", "onym_get_leads"],
    ["gemini-cli", "get_leads", "onym", "mcp_onym_get_leads"],
    ["gemini-cli", "mcp_get_leads", "onym", "mcp_onym_mcp_get_leads"],
    ["gemini-cli", "get_leads", "mcp_onym", "mcp_onym_get_leads"],
    ["gemini-cli", "get_leads", "mcp", "mcp_get_leads"],
    ["kimi-cli", "a__b!!c", "my__tools", "mcp__my_tools__a_b_c"],
    ["anthropic-mcp-connector", "get_leads", "onym", "onym_get_leads"],
    ["gemini-cli", "a".repeat(80), "onym", `mcp_onym_${"a".repeat(21)}...${"a".repeat(30)}`],
    ["roo-code", "1 a--b!", "on ym", "mcp--on_ym--_1_a-b"],
    ["roo-code", "x".repeat(80), "onym", `mcp--onym--${"x".repeat(53)}`],
    ["amazon-q-cli", "1-a___b.c", "onym", "a1abc"],
    ["crewai", "getUserByID", "Onym", "onym_get_user_by_id"],
    ["crewai", "HTTPServer", "onym", "onym_http_server"],
    ["goose", "get_leads", "My Tools.x", "mytools_x__get_leads"],
    ["zed", "get.leads", "onym", "get_leads"],
    ["ms-agent-framework", "get/leads.all", "onym", "get-leads.all"],
    ["lobehub", "get_leads", "onym", "onym____get_leads"],
    ["home-assistant", "get_leads", "Onym Tools", "onym_tools__get_leads"],
    ["copilot-cli", "get_leads", "onym", "onym-get_leads"],
  ])("in %s turns %s behind %s into %s (RULE-4)", (id, name, alias, expected) => {
    expect(sentName(name, profileOf(id), alias)).toBe(expected);
  });

  it("is given no leading underscore in codex (RULE-5)", () => {
    expect(nameRulesFor(profileOf("codex"), "onym").first).not.toContain("_");
    expect(nameRulesFor(profileOf("codex"), "onym").first).toContain("2");
  });

  // Digests computed with another implementation (Python hashlib).
  it.each([
    ["cline", "get.leads", "onym", "onym__get_leads_e20cee9b"],
    ["cline", "x".repeat(70), "onym", "onym__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_d197dece"],
    [
      "codex",
      "x".repeat(130),
      "onym",
      "mcp__onym__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_6c2fb4be5ddb",
    ],
    [
      "codex",
      `get-leads.${"x".repeat(130)}`,
      "my-tools",
      `mcp__my_tools__get_leads_${"x".repeat(90)}_2a0b96ffd94e`,
    ],
    ["codex", "x".repeat(14), "y".repeat(108), `mcp__${"y".repeat(108)}___04eb3bfbb935`],
    ["codex", "x".repeat(13), "y".repeat(109), `mcp__${"y".repeat(108)}___48a4b5eadeaf`],
    ["crewai", "x".repeat(70), "onym", "onym_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_350c7fce"],
    ["cherry-studio", "get_leads", "onym", "mcp__onym__getLeads_7d8aac15ee275f21d6d4"],
    [
      "cherry-studio",
      "a".repeat(60),
      "onym",
      "mcp__onym__aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_8b8cfe7abeb9ac3b3ba9",
    ],
    ["lobehub", "x".repeat(70), "onym", "onym____MD5HASH_7d56c0f83fd1"],
    ["lobehub", "get_leads", "y".repeat(70), "MD5HASH_0e3dc8b774cb____MD5HASH_bb19723e0d25"],
    ["qwen-code", "x".repeat(70), "onym", "mcp__onym__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_14l3iqk"],
  ])("in %s shortens %s behind %s as the client does (RULE-4)", (id, name, alias, expected) => {
    const sent = sentName(name, profileOf(id), alias);
    expect(sent).toBe(expected);
    expect(sent.length).toBeLessThanOrEqual(profileOf(id).client.cutAt ?? 0);
  });
});

describe("matchesProfile", () => {
  it("accepts every name that the rules allow, in every profile (RULE-5)", () => {
    for (const profile of listProfiles()) {
      for (const alias of ALIASES) {
        const names = namesOf(nameRulesFor(profile, alias));
        fc.assert(
          fc.property(names, (name) => {
            expect([name, new RegExp(profile.pattern).test(name)]).toEqual([name, true]);
            expect([name, matchesProfile(name, profile, alias)]).toEqual([name, true]);
          }),
          { numRuns: 60 },
        );
      }
    }
  });

  it.each(listProfiles().filter((profile) => Number.isFinite(profile.rules.maxLength)))(
    "draws the line in $id exactly at the budget (RULE-4)",
    (profile) => {
      const { maxLength } = nameRulesFor(profile, "onym");
      expect(matchesProfile("a".repeat(maxLength), profile, "onym")).toBe(true);
      expect(matchesProfile("a".repeat(maxLength + 1), profile, "onym")).toBe(false);
    },
  );

  it.each([
    ["openai", "get.leads"],
    ["openai", ""],
    ["moonshot-kimi", "_ab"],
    ["moonshot-kimi", "ab"],
    ["continue", "get.leads"],
    ["roo-code", "a--b"],
    ["universal", "get__leads"],
    ["universal", "getLeads"],
    ["codex", "get-leads"],
    ["cursor", "x".repeat(56)],
  ])("refuses in %s the name %j (RULE-5)", (id, name) => {
    expect(matchesProfile(name, profileOf(id), "onym")).toBe(false);
  });

  it("answers for any text, without a throw (SAFE-1)", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("__proto__", "\udc00", "A".repeat(100_000)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...listProfiles()), texts, texts, (profile, name, alias) => {
        expect(typeof matchesProfile(name, profile, alias)).toBe("boolean");
        expect(typeof simulateSending(name, profile, alias).text).toBe("string");
      }),
      { numRuns: 2000 },
    );
  });
});
