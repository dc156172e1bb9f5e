// Turns what a step found into a resolution: one tool, several, or a retired name.

import type { Tool } from "../catalog/tool.js";
import { quoteText } from "../names/escape-text.js";
import type { FormerName } from "./renames/former-names.js";
import {
  isMeant,
  RESOLVE_STEPS,
  type Resolution,
  type ResolveContext,
  type ResolveStep,
  type StepTaken,
} from "./resolution.js";
import { type Claim, isSeveral } from "./spellings/claims.js";

/** Where in the sequence of steps something was found. */
export interface Place {
  readonly step: ResolveStep;
  readonly tried: string;
  /** The steps that found nothing. The step that ends the search is appended. */
  readonly before: StepTaken[];
  readonly context: ResolveContext;
}

const NO_WARNINGS: readonly string[] = Object.freeze([]);

/** All steps before the given one, each without a match for the text. */
export function missed(before: ResolveStep, tried: string): StepTaken[] {
  const steps: StepTaken[] = [];
  for (const step of RESOLVE_STEPS) {
    if (step === before) return steps;
    steps.push({ step, tried, outcome: "no match" });
  }
  return steps;
}

export function conclude(claim: Claim, { step, tried, before, context }: Place): Resolution {
  const tool = isSeveral(claim) ? onlyMeant(claim, context) : claim;
  const outcome = tool === undefined ? "ambiguous" : "matched";
  before.push({ step, tried, outcome });
  if (tool !== undefined) return { outcome: "resolved", tool, step, steps: before, warnings: NO_WARNINGS };
  return {
    outcome: "ambiguous",
    step,
    candidates: [...(claim as ReadonlySet<Tool>)],
    steps: before,
    warnings: NO_WARNINGS,
  };
}

export function concludeFormer(entries: readonly FormerName[], place: Place): Resolution {
  const { step, tried, before } = place;
  const live = entries.flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
  const [entry] = entries;
  if (entries.length > 1 && live.length > 1) return conclude(new Set(live), place);
  const meant = entries.find((each) => each.tool !== undefined) ?? (entry as FormerName);
  const { tool, canonical, policy, ends, isAbsent } = meant;
  if (isAbsent === true && policy !== "reject") return absent(canonical, place);
  if (tool === undefined || policy === "reject") {
    before.push({ step, tried, outcome: "retired" });
    const retired = { outcome: "retired", step, canonical, steps: before, warnings: NO_WARNINGS } as const;
    return tool === undefined && isAbsent !== true ? retired : { ...retired, successor: canonical };
  }
  const resolution = { ...conclude(tool, place), successor: canonical } as Resolution;
  if (policy === "accept") return resolution;
  const end = ends === undefined ? "" : ` It is refused ${ends}.`;
  return {
    ...resolution,
    warnings: [`This name is deprecated; call ${canonical} by its present name.${end}`],
  };
}

/** The lock knows the name, but the tool's server was not queried. */
function absent(canonical: string, { step, tried, before }: Place): Resolution {
  before.push({ step, tried, outcome: "no match" });
  return {
    outcome: "unknown",
    suggestions: [],
    problem: {
      code: "server-absent",
      severity: "error",
      message: `The name belongs to ${quoteText(canonical)}, whose server was not asked or does not answer.`,
      fix: "Try again when the server is there; nobody else is given its name.",
    },
    steps: before,
    warnings: NO_WARNINGS,
  };
}

/** The one claimant that the context selects, if it selects exactly one. */
function onlyMeant(claim: ReadonlySet<Tool>, context: ResolveContext): Tool | undefined {
  if (context.server === undefined && context.toolbox === undefined) return undefined;
  let only: Tool | undefined;
  for (const tool of claim) {
    if (!isMeant(tool, context)) continue;
    if (only !== undefined) return undefined;
    only = tool;
  }
  return only;
}
