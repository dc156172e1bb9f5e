import { describe, expect, it } from "vitest";
import { EXCLUDED_TOOLS, GEMINI_POLICY } from "./gemini-lists.js";
import type { PermissionForm } from "./own-rule.js";
import { NAME_LISTS, OPENCODE } from "./permission-forms.js";

const SERVERS = new Map([["gh", {}]]);

function rulesIn(form: PermissionForm, value: unknown) {
  return form.read(value, SERVERS).map(({ effect, target, within }) => [effect, target, within]);
}

describe("what a list of a client says", () => {
  it.each<readonly [string, PermissionForm, unknown, readonly unknown[]]>([
    [
      "excluded tools by their shown and raw names",
      EXCLUDED_TOOLS,
      { tools: { exclude: ["mcp_gh_put", "mcp__gh__rm", "mcp__gh", "drop"] }, excludeTools: ["old"] },
      [
        ["deny", { kind: "name", pattern: "mcp_gh_put" }, undefined],
        ["deny", { kind: "name", pattern: "mcp__gh__rm" }, undefined],
        ["deny", { kind: "name", pattern: "mcp__gh__*" }, undefined],
        ["deny", { kind: "raw", tool: "drop" }, undefined],
        ["deny", { kind: "raw", tool: "old" }, undefined],
      ],
    ],
    ["nothing of Onym's in what is excluded as a whole", EXCLUDED_TOOLS, { tools: { exclude: ["*"] } }, []],
    [
      "a policy without a server",
      GEMINI_POLICY,
      {
        rule: [
          { toolName: ["mcp_gh_put", "drop"], decision: "deny" },
          { toolName: "mcp_gh_get", decision: "allow" },
          { toolName: "get", decision: "allow" },
          { toolName: "mcp_gh_find", decision: "allow", argsPattern: "x" },
          { toolName: "*", decision: "ask_user" },
        ],
      },
      [
        ["deny", { kind: "name", pattern: "mcp_gh_put" }, undefined],
        ["deny", { kind: "raw", tool: "drop" }, undefined],
        ["allow", { kind: "name", pattern: "mcp_gh_get" }, undefined],
      ],
    ],
    [
      "permissions by input, of which `*` alone is about an MCP tool",
      OPENCODE,
      { permission: { gh_put: { "*": "deny" }, gh_get: { "/x": "deny" }, "*": { "*": "ask" } } },
      [["deny", { kind: "name", pattern: "gh_put" }, undefined]],
    ],
    [
      "permissions of one agent",
      OPENCODE,
      { agent: { plan: { permission: { gh_put: "deny", gh_get: "allow" }, tools: { "gh_r*": false } } } },
      [
        ["deny", { kind: "name", pattern: "gh_r*" }, "agent.plan"],
        ["deny", { kind: "name", pattern: "gh_put" }, "agent.plan"],
      ],
    ],
  ])("%s", (_, form, value, rules) => {
    expect(rulesIn(form, value)).toEqual(rules);
  });

  it("and what the client ignores: parentheses after the name of an MCP tool", () => {
    const value = {
      permissions: { deny: ["mcp__gh__put(*)", "Bash(rm)", "mcp__other__x(*)", "mcp__gh__rm"] },
    };
    expect(rulesIn(NAME_LISTS, value)).toEqual([
      ["deny", { kind: "name", pattern: "mcp__gh__rm" }, undefined],
    ]);
    expect(NAME_LISTS.notes?.(value, SERVERS)).toEqual([expect.stringContaining("deny mcp__gh__put(*)")]);
  });
});
