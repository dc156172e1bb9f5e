// Rules that are about no tool there is, as findings (POL-5): a deny that matches nothing allows what it was meant for.

import { type CatalogProblem, escapeText, quoteText, type Snapshot, type Tool } from "@onym/core";
import type { IdleRule, Policy, RuleOwner } from "./build-policy.js";

export interface IdleRulesInput {
  readonly policy: Policy;
  readonly snapshot: Pick<Snapshot, "catalog" | "resolve">;
  /** Servers that have not answered: their tools are not known. */
  readonly unheard: readonly RuleOwner[];
}

/** Each with what it was probably meant for: the canonical name that a public one leads to, or one that is near. */
export function findIdleRules({ policy, snapshot, unheard }: IdleRulesInput): readonly CatalogProblem[] {
  const { tools } = snapshot.catalog;
  // Without a single tool, every rule would be one.
  if (tools.length === 0) return [];
  return policy.idleRules(tools, unheard).map(({ rule, why, patterns }) => ({
    code: "idle-rule",
    severity: "warning",
    message: `policy.${rule} is about no tool there is: ${why}.`,
    fix: suggest({ patterns }, snapshot),
    tools: [],
    servers: [],
  }));
}

function suggest(
  { patterns }: Pick<IdleRule, "patterns">,
  { resolve, catalog }: IdleRulesInput["snapshot"],
): string {
  for (const { text, tool } of patterns) {
    for (const written of [tool, text]) {
      const found = resolve(written);
      if (found.outcome === "resolved")
        return `${quoteText(written)} leads to ${escapeText(found.tool.canonical)}: write that.`;
      if (found.outcome === "ambiguous")
        return `${quoteText(written)} leads to ${namesOf(found.candidates)}: write which.`;
    }
    const near = resolve(text);
    const [name] = near.outcome === "unknown" ? near.suggestions : [];
    const meant = name === undefined ? undefined : resolve(name);
    if (meant?.outcome === "resolved") return `Did you mean ${escapeText(meant.tool.canonical)}?`;
  }
  const [some] = catalog.tools;
  return `Rules match canonical names, such as ${escapeText(some?.canonical ?? "server@1/tool@1")}; onym names shows them.`;
}

function namesOf(tools: readonly Tool[]): string {
  return tools
    .slice(0, 3)
    .map(({ canonical }) => escapeText(canonical))
    .join(" or ");
}
