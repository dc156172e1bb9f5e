// Resolve: a text, and the steps that lead to its tool or end without one (RES-1).

import type { Profile, Resolution, Tool } from "@onym/core";
import { RESOLVE_STEPS } from "@onym/core/resolve";
import { prepareIndex } from "../../gateway/catalog/snapshot-tables.js";
import { runInSlices } from "../../model/run-slices.js";
import type { ConsoleContext, Viewer } from "../console-context.js";

export interface ResolveReport {
  readonly input: string;
  readonly outcome: Resolution["outcome"];
  readonly steps: readonly { readonly step: string; readonly tried?: string; readonly outcome: string }[];
  readonly explanation: readonly string[];
  readonly tool?: {
    readonly key: string;
    readonly canonical: string;
    readonly server: string;
    readonly raw: string;
  };
  readonly candidates: readonly string[];
  readonly suggestions: readonly string[];
  readonly successor?: string;
  readonly warnings: readonly string[];
  readonly fix?: string;
}

const MAX_TEXT = 4_096;

export async function resolveText(
  context: ConsoleContext,
  viewer: Viewer,
  { text, profile }: { readonly text: string; readonly profile: Profile },
): Promise<ResolveReport> {
  const { gateway } = context;
  const input = text.slice(0, MAX_TEXT);
  const resolution = (await resolverFor(context, viewer, profile))(input);
  const sees = viewer.isOperator ? () => true : gateway.sees(viewer);
  return {
    input,
    outcome: resolution.outcome,
    steps: viewer.isOperator ? stepsOf(resolution) : stepsHeard(resolution),
    explanation: viewer.isOperator ? gateway.snapshot().tools.explain(input, { profile }) : [],
    ...(resolution.outcome === "resolved" ? { tool: describe(resolution.tool) } : {}),
    candidates:
      resolution.outcome === "ambiguous"
        ? resolution.candidates.filter(sees).map(({ canonical }) => canonical)
        : [],
    suggestions: resolution.outcome === "unknown" && viewer.isOperator ? resolution.suggestions : [],
    ...("successor" in resolution && resolution.successor !== undefined
      ? { successor: resolution.successor }
      : {}),
    warnings: resolution.warnings,
    ...(resolution.outcome === "unknown" && resolution.problem !== undefined
      ? { fix: `${resolution.problem.message} ${resolution.problem.fix}` }
      : {}),
  };
}

/** What texts lead to, for who looks. */
export async function resolverFor(
  { gateway }: Pick<ConsoleContext, "gateway">,
  viewer: Viewer,
  profile: Profile,
): Promise<(text: string) => Resolution> {
  const { tools } = gateway.snapshot();
  await prepareIndex(tools, { profile, as: undefined });
  await runInSlices(tools.tableSteps(profile));
  if (viewer.isOperator) return (text) => tools.resolve(text, { profile });
  const visibility = gateway.visibility(viewer, profile);
  const sees = gateway.sees(viewer);
  return (text) => {
    const found = visibility?.resolve(text).resolution ?? tools.resolve(text, { profile });
    return narrow(found, sees);
  };
}

const UNKNOWN: Resolution = { outcome: "unknown", steps: [], warnings: [], suggestions: [] };

/** What a caller must not see is answered as what never was (GW-6). */
function narrow(resolution: Resolution, sees: (tool: Tool) => boolean): Resolution {
  if (resolution.outcome === "resolved") return sees(resolution.tool) ? resolution : UNKNOWN;
  if (resolution.outcome === "ambiguous") return resolution.candidates.some(sees) ? resolution : UNKNOWN;
  return resolution;
}

function stepsOf(resolution: Resolution): ResolveReport["steps"] {
  const taken = new Map(resolution.steps.map((each) => [each.step, each]));
  return RESOLVE_STEPS.map((step) => {
    const each = taken.get(step);
    return each === undefined
      ? { step, outcome: "not needed" }
      : { step, tried: each.tried.slice(0, 300), outcome: each.outcome };
  });
}

/** For callers from whom something is hidden: from the outcome alone, because the steps themselves saw all tools. */
function stepsHeard(resolution: Resolution): ResolveReport["steps"] {
  const end = "step" in resolution ? RESOLVE_STEPS.indexOf(resolution.step) : RESOLVE_STEPS.length;
  const outcome = resolution.outcome === "resolved" ? "matched" : resolution.outcome;
  return RESOLVE_STEPS.map((step, index) => ({
    step,
    outcome: index < end ? "no match" : index === end ? outcome : "not needed",
  }));
}

function describe({ key, canonical, server, raw }: Tool) {
  return { key, canonical, server, raw: raw.slice(0, 300) };
}
