// Which tools the model sees only after searching for them. The agent builder decides.

import type { Tool } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";

/**
 * `none` (the default), `all`, your own rule, or a budget: tools are loaded in catalog order until their
 * definitions take about this many tokens, and the rest is deferred.
 */
export type DeferRule = "none" | "all" | ((tool: Tool) => boolean) | { readonly tokens: number };

/** With current tokenizers JSON takes about four characters per token. A budget needs only an estimate. */
const CHARACTERS_PER_TOKEN = 4;

export function deferredTools(tools: readonly Tool[], rule: DeferRule): ReadonlySet<Tool> {
  if (rule === "none") return new Set();
  if (rule === "all") return new Set(tools);
  if (typeof rule === "function") return new Set(tools.filter(rule));
  const deferred = new Set<Tool>();
  let left = rule.tokens;
  for (const tool of tools) {
    left -= estimateTokens(tool);
    if (left < 0) deferred.add(tool);
  }
  return deferred;
}

/** @example estimateTokens(tool); // 57 */
export function estimateTokens(tool: Tool): number {
  const { title, description, inputSchema } = tool.definition;
  const text = canonicalJson({ name: tool.toolName, title, description, inputSchema });
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
