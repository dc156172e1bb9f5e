// Resolve: a text, and the steps that lead to its tool or end without one (RES-1).

import type { Resolution, Tool } from "@onym/core";
import { RESOLVE_STEPS } from "@onym/core/resolve";
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

export function resolveText(
  context: ConsoleContext,
  viewer: Viewer,
  { text, profile }: { readonly text: string; readonly profile: string },
): ResolveReport {
  const { tools } = context.gateway.snapshot();
  const options = { profile };
  const input = text.slice(0, MAX_TEXT);
  const found = tools.resolve(input, options);
  const sees = viewer.isOperator ? () => true : context.gateway.sees(viewer);
  // What a caller must not see is answered as what never was (GW-6).
  const isHidden = found.outcome === "resolved" && !sees(found.tool);
  const resolution: Resolution = isHidden
    ? { outcome: "unknown", steps: [], warnings: [], suggestions: [] }
    : found;
  const taken = new Map(resolution.steps.map((each) => [each.step, each]));
  return {
    input,
    outcome: resolution.outcome,
    steps: RESOLVE_STEPS.map((step) => {
      const each = taken.get(step);
      return each === undefined
        ? { step, outcome: "not needed" }
        : { step, tried: each.tried.slice(0, 300), outcome: each.outcome };
    }),
    explanation: isHidden || !viewer.isOperator ? [] : tools.explain(input, options),
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

function describe({ key, canonical, server, raw }: Tool) {
  return { key, canonical, server, raw: raw.slice(0, 300) };
}
