// The lists of Gemini CLI, and of Qwen Code, which was made from it: excluded tools, and policies. Held against the sources of both
// (2026-08-22): a name of an MCP tool takes no parentheses, and one without a server may be a raw name.

import { memberOf, valueAt } from "../../../../documents/edit-document.js";
import { type Effect, type OwnRule, type PermissionForm, textsIn } from "./own-rule.js";
import { wholeServer } from "./permission-forms.js";

/** Lists of excluded tools, by the name that the client shows or by the raw one. `excludeTools` is the older place. */
export const EXCLUDED_TOOLS: PermissionForm = {
  format: "json",
  lists: [["tools", "exclude"], ["excludeTools"]],
  holds: [],
  read: (value) =>
    [["tools", "exclude"], ["excludeTools"]].flatMap((path) =>
      textsIn(valueAt(value, path)).flatMap((text): readonly OwnRule[] => {
        const target = targetOfName(text);
        if (target === undefined) return [];
        return [{ effect: "deny", text: `${path.join(".")}: ${text}`, target }];
      }),
    ),
  notes: (value) =>
    [["tools", "exclude"], ["excludeTools"]].flatMap((path) =>
      textsIn(valueAt(value, path)).flatMap((text) =>
        text.startsWith("mcp_") && text.includes("(")
          ? [`${path.join(".")}: ${text}: the client takes no parentheses after the name of an MCP tool`]
          : [],
      ),
    ),
};

/** `mcp_github_search` of Gemini CLI and `mcp__github__search` of Qwen Code are names as shown; what is said of all holds for Onym, too. */
function targetOfName(text: string): OwnRule["target"] | undefined {
  if (text.includes("(") || /^\**$/.test(text)) return undefined;
  if (text.startsWith("mcp__")) return { kind: "name", pattern: wholeServer(text) };
  if (text.startsWith("mcp_")) return { kind: "name", pattern: text };
  return /[*?]/.test(text) ? undefined : { kind: "raw", tool: text };
}

const DECISIONS: ReadonlyMap<unknown, Effect> = new Map([
  ["allow", "allow"],
  ["ask_user", "ask"],
  ["deny", "deny"],
]);

/** A file of rules; those that go on stand in one of Onym's own beside it. */
export const GEMINI_POLICY: PermissionForm = {
  place: "{home}/.gemini/policies/*.toml",
  format: "toml",
  holds: ["allow", "ask"],
  read: (value) => {
    const rules = memberOf(value, "rule");
    return (Array.isArray(rules) ? rules : []).flatMap((rule): readonly OwnRule[] => {
      const server = memberOf(rule, "mcpName");
      const effect = DECISIONS.get(memberOf(rule, "decision"));
      if (effect === undefined) return [];
      const tools = [memberOf(rule, "toolName")].flat();
      if (server === undefined) return tools.flatMap((tool) => rulesOfName(tool, effect, rule));
      if (typeof server !== "string") return [];
      const isPlain = isPlainRule(rule);
      return tools.map((tool) => {
        const named = typeof tool === "string" && tool !== "*" ? tool : undefined;
        const pattern = effect === "allow" && !isPlain && named !== undefined ? `${named}*` : named;
        return { effect, text: `${server} ${named ?? "*"}`, target: { kind: "tool", server, tool: pattern } };
      });
    });
  },
  edits: (_, changes, alias) =>
    changes.map(({ rule, name }) => ({
      path: ["rule", { name }],
      value: {
        mcpName: alias,
        toolName: name,
        decision: rule.effect === "ask" ? "ask_user" : "allow",
        priority: 100,
      },
    })),
};

/** A rule with more conditions than these means fewer calls: allowing them all would be too much. */
function isPlainRule(rule: unknown): boolean {
  return Object.keys(Object(rule)).every((key) =>
    ["mcpName", "toolName", "decision", "priority"].includes(key),
  );
}

/** A rule without a server is about names as they are shown. A raw name may be meant; allowing by it would be a guess. */
function rulesOfName(tool: unknown, effect: Effect, rule: unknown): readonly OwnRule[] {
  const target = typeof tool === "string" ? targetOfName(tool) : undefined;
  if (typeof tool !== "string" || target === undefined) return [];
  if (effect === "allow" && (target.kind === "raw" || !isPlainRule(rule))) return [];
  return [{ effect, text: tool, target }];
}
