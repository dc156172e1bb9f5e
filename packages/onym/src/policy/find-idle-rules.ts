// Reports rules that match nothing (POL-5): a deny rule without a match allows what it was meant to deny.

import { type CatalogProblem, escapeText, quoteText, type Snapshot, type Tool } from "@onym/core";
import { runAtOnce, type Steps } from "../model/run-slices.js";
import type { IdleRule, Policy } from "./build-policy.js";
import type { RuleOwner } from "./compile-rule.js";
import type { RuleSubjects } from "./item-policy.js";

export interface IdleRulesInput {
  readonly policy: Policy;
  readonly snapshot: Pick<Snapshot, "catalog" | "resolve" | "indexSteps">;
  /** Servers that have not answered, so that what they offer is not known. */
  readonly unlisted: readonly RuleOwner[];
  /** What the other servers offer besides tools; absent if it is not known. */
  readonly items?: Omit<RuleSubjects, "tools"> | undefined;
  /** Messages that were told before: nothing is looked up for them again. */
  readonly told?: ReadonlySet<string> | undefined;
}

/** Each with a suggestion: the canonical name behind a public name, or a similar name. */
export function findIdleRules(input: IdleRulesInput): readonly CatalogProblem[] {
  return runAtOnce(findIdleRuleSteps(input));
}

export function* findIdleRuleSteps({
  policy,
  snapshot,
  unlisted,
  items = {},
  told = new Set(),
}: IdleRulesInput): Steps<readonly CatalogProblem[]> {
  const { tools } = snapshot.catalog;
  // If there is nothing at all, every rule would be reported.
  if (tools.length + (items.prompts?.length ?? 0) + (items.resources?.length ?? 0) === 0) return [];
  const problems: CatalogProblem[] = [];
  const all = yield* policy.idleRuleSteps({ tools, ...items }, unlisted);
  const idle = all.filter((rule) => !told.has(messageOf(rule)));
  // What suggestions are looked up in.
  if (idle.length > 0) {
    yield* snapshot.indexSteps();
    yield* snapshot.indexSteps("universal");
  }
  for (const rule of idle) {
    const { about, patterns } = rule;
    yield;
    problems.push({
      code: "idle-rule",
      severity: "warning",
      message: messageOf(rule),
      fix: about === "everything" || about === "tools" ? suggest({ patterns }, snapshot) : FIXES[about],
      tools: [],
      servers: [],
    });
  }
  return problems;
}

function messageOf({ rule, why, about }: IdleRule): string {
  return `policy.${rule} is about no ${NOUNS[about]} there is: ${why}.`;
}

const NOUNS = { everything: "tool", tools: "tool", prompts: "prompt", resources: "resource" } as const;

const FIXES = {
  prompts: "Rules match canonical names of prompts; the list of prompts shows them as onym/canonicalName.",
  resources: "Rules match addresses as the server lists them, without the onym:// that tells servers apart.",
} as const;

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
