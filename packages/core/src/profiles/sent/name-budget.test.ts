import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findProfile, listProfiles } from "../find-profile.js";
import type { Profile } from "../profile.js";
import { clientFrame, nameRulesFor } from "./name-budget.js";
import { rewriteText } from "./rewrite-text.js";

const file = new URL("../../../../../test/data/profiles.json", import.meta.url);
const rows: readonly { id: string; budgetFormula?: string }[] = JSON.parse(readFileSync(file, "utf8"));
const formulas = rows.filter(
  (row): row is { id: string; budgetFormula: string } => row.budgetFormula !== undefined,
);
const ALIASES = ["onym", "acme-tools_gateway"];

/** The research's own words → characters left; `server` is the alias as the client writes it. */
const FORMULAS: Readonly<Record<string, (server: number) => number>> = {
  "min(46, 57 - len(server))": (server) => Math.min(46, 57 - server),
  "57 - len(server) (safe) / 121 - len(server) (hard)": (server) => 57 - server,
  "121 - len(server) (>= rust-v0.149.0); 57 - len(server) before": (server) => 57 - server,
  "64 (prefix unknown)": () => 64,
  "64 (prefix includes server name, form unknown)": () => 64,
  "64 (prefix yields)": () => 64,
  "63 (prefix unknown)": () => 63,
  "128": () => 128,
  "64": () => 64,
  "58": () => 58,
  "59 - len(server)": (server) => 59 - server,
  // 46 is the row's own limit on the bare name, and the least that the formula gives.
  "64 - min(18, 5 + len(server)) >= 46": () => 46,
  "63 - len(server)": (server) => 63 - server,
  "62 - len(server)": (server) => 62 - server,
  "58 - len(server)": (server) => 58 - server,
  "57 - len(server)": (server) => 57 - server,
  "56 - len(server)": (server) => 56 - server,
  "35 - len(server) readable chars": (server) => 35 - server,
  "59 - len(server) (minus 4+len(type) for typed plugins)": (server) => 59 - server,
  "64 / with prefix 58 - len(server)": () => 64,
  "127 - len(server)": (server) => 127 - server,
  "64 - len(server) - 1": (server) => 64 - server - 1,
  "64 - len(server) - 7": (server) => 64 - server - 7,
  "64 - min(30, len(server)) - 2": (server) => 64 - Math.min(30, server) - 2,
  "provider limit": () => 64,
  "provider limit - len(server) - 1": (server) => 64 - server - 1,
  "provider limit - len(slug(server)) - 1": (server) => 64 - server - 1,
  "provider limit - len(server_id) - 1": (server) => 64 - server - 1,
  "provider limit - len(ext) - 2": (server) => 64 - server - 2,
  "provider limit - len(server) - 5": (server) => 64 - server - 5,
  "provider limit - namespace": (server) => 64 - server - 2,
  "as the real client": () => 64,
  none: () => Infinity,
  "none known": () => Infinity,
};

function profileOf(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}

describe("nameRulesFor", () => {
  it.each(formulas)(
    "leaves in $id what the research computes: $budgetFormula (RULE-4)",
    ({ id, budgetFormula }) => {
      const profile = profileOf(id);
      const formula = FORMULAS[budgetFormula];
      for (const alias of ALIASES) {
        const server = Math.max(alias.length, rewriteText(alias, profile.client.alias).length);
        expect(nameRulesFor(profile, alias).maxLength).toBe(formula?.(server));
      }
    },
  );

  it.each([
    ["claude-code", "onym", 53],
    ["claude-code", "acme-tools_gateway", 39],
    ["claude-code", "plugin_acme_onym", 41],
    ["claude-code", "052a33b2-1912-47e2-9073-077a1de5d1d0", 21],
    ["claude-desktop", "052a33b2-1912-47e2-9073-077a1de5d1d0", 21],
    ["codex", "mcp__onym", 53],
    ["cursor", "onym", 55],
    ["vscode", "acme-tools_gateway", 46],
    ["windsurf", "x".repeat(100), 58],
    ["n8n", "x".repeat(100), 64],
    ["librechat", "onym", 55],
    ["cherry-studio", "onym", 31],
    ["cherry-studio", "acme-tools_gateway", 17],
    ["universal", "onym", 46],
    ["universal", "twelve-chars", 45],
    ["roo-code", "1password", 47],
    ["goose", "My Tools", 54],
    ["anthropic", "onym", 128],
    ["anthropic-messages", "onym", 64],
    ["openai", "x".repeat(1000), 64],
  ])("leaves %s behind the alias %s %i characters (RULE-4)", (id, alias, expected) => {
    expect(nameRulesFor(profileOf(id), alias).maxLength).toBe(expected);
  });

  it("returns a budget below zero as it is (RULE-4)", () => {
    expect(nameRulesFor(profileOf("claude-code"), "x".repeat(60)).maxLength).toBe(-3);
  });

  it("takes the display name of an extension of Claude Desktop for an alias (RULE-4)", () => {
    const { prefix } = clientFrame(profileOf("claude-desktop"), "PDF Tools - Fill, Sign");
    expect(prefix).toBe("mcp__PDF_Tools_-_Fill_Sign__");
  });

  it("cuts a capped prefix in the alias, not in its separators (RULE-4)", () => {
    expect(clientFrame(profileOf("vscode"), "Acme.Tools Gateway").prefix).toBe("mcp_acme_tools_ga_");
  });

  it("changes nothing but the length, for any alias and without a throw (RULE-4)", () => {
    const aliases = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("__proto__", "", "\ud800"),
    );
    fc.assert(
      fc.property(fc.constantFrom(...listProfiles()), aliases, (profile, alias) => {
        const { maxLength, ...rest } = nameRulesFor(profile, alias);
        const { maxLength: bare, ...same } = profile.rules;
        expect(rest).toEqual(same);
        expect(maxLength).toBeLessThanOrEqual(bare);
      }),
    );
  });
});
