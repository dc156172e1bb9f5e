import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { runSteps } from "../../names/steps.js";
import { buildNamingTable } from "../../naming/build-naming-table.js";
import { listProfiles, profileOf } from "../../profiles/find-profile.js";
import { clientFrame } from "../../profiles/sent/name-budget.js";
import { sentName } from "../../profiles/sent/sent-name.js";
import { type Claim, isSeveral } from "./claims.js";
import { sentFormSteps, sentFormsOf } from "./sent-forms.js";
import { serverFormSteps, serverStarts } from "./server-forms.js";

const NASTY: readonly ToolSource[] = [
  { server: "x", tools: ["a", "_a", "a.b", "", "__proto__"] },
  { server: "x_", integration: "x-second", tools: ["a", "_a"] },
  { server: "_x", integration: "x-third", tools: ["a"] },
  { server: "x.a", tools: ["b", "a"] },
  { server: "mcp", toolbox: "dev", tools: ["a", "_a", ""] },
  { server: "mcp", toolbox: "ops", integration: "mcp", version: 2, tools: ["a"] },
];

function keysOf(claim: Claim | undefined): readonly string[] {
  if (claim === undefined) return [];
  return (isSeveral(claim) ? [...claim] : [claim]).map(({ key }) => key);
}

describe("forms of a server and a tool (RES-1)", () => {
  const { tools } = buildCatalog(NASTY);
  const find = runSteps(serverFormSteps(tools));

  it("lead to every tool that has exactly this form, in the order of the catalog", () => {
    const texts = new Set(tools.flatMap((tool) => serverStarts(tool).map((start) => start + tool.raw)));
    texts.add("a__b");
    for (const text of texts) {
      const owners = tools.filter(
        (tool) =>
          serverStarts(tool).some((start) => start + tool.raw === text) ||
          (tool.raw.includes(".") && tool.raw.replaceAll(".", "__") === text),
      );
      expect([text, keysOf(find(text))]).toEqual([text, owners.map(({ key }) => key)]);
    }
  });

  it("that servers share are ambiguous", () => {
    expect(keysOf(find("mcp_x__a"))).toHaveLength(3);
    expect(keysOf(find("x.a.b"))).toHaveLength(2);
  });

  it.each(["x", "x_a", "mcp_", "mcp__", "mcp__y_a", "dev__mcp", "dev__mcp__b", "_", "", "y.", "__proto__"])(
    "are nothing else: %j",
    (text) => expect(find(text)).toBeUndefined(),
  );
});

describe("forms that clients send back (RES-1)", () => {
  const catalog = buildCatalog([
    { server: "files", tools: ["read", "onym_read", "mcp_read", `${"very_".repeat(11)}long`, "readFile"] },
    { server: "onym", tools: ["read", "Read-It"] },
  ]);

  it("lead back to the tool from every client", () => {
    for (const profile of listProfiles()) {
      for (const as of ["onym", "acme-tools_gateway", "____"]) {
        const table = buildNamingTable(catalog, profile, { as });
        const find = runSteps(sentFormSteps(table));
        for (const { name, tool } of table.tools) {
          for (const text of sentFormsOf(name, table)) {
            // A name that is sent as it is stands in the table itself.
            if (text !== name) expect(keysOf(find(text))).toContain(tool.key);
          }
        }
      }
    }
  });

  it("lead nowhere where the client would send something else", () => {
    const always = profileOf("cherry-studio");
    const table = buildNamingTable(catalog, always);
    const find = runSteps(sentFormSteps(table));
    const { prefix, suffix } = clientFrame(always, "onym");
    for (const { name } of table.tools) {
      expect(sentName(name, always, "onym")).not.toBe(prefix + name + suffix);
      expect(find(prefix + name + suffix)).toBeUndefined();
    }
  });

  it.each(["openai", "claude-code", "librechat", "continue"])("are nothing else in %s", (id) => {
    const table = buildNamingTable(catalog, profileOf(id));
    const find = runSteps(sentFormSteps(table));
    const { prefix, suffix } = clientFrame(table.profile, table.as);
    const forms = new Set(table.tools.flatMap(({ name }) => sentFormsOf(name, table)));
    for (const { name } of table.tools) {
      const texts = ["mcp__onym__", "mcp_onym_", prefix].flatMap((start) => [
        `${"x".repeat(start.length)}${name}${suffix}`,
        `${start}${name}${"x".repeat(suffix.length)}`,
        `${start}${name}x${suffix}`,
      ]);
      for (const text of texts) if (!forms.has(text)) expect([text, find(text)]).toEqual([text, undefined]);
    }
  });
});
