// Explains a resolution: what was tried, what matched, why the tool has this name (RES-5).

import { escapeText, quoteText } from "../names/escape-text.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { explainWhy } from "../naming/wish/why.js";
import type { Resolution, ResolveStep, StructuredName } from "./resolution.js";

const LOOKED_IN: Readonly<Record<ResolveStep, string>> = {
  public: "public names",
  canonical: "canonical names",
  alias: "declared aliases and former names",
  spelling: "other spellings",
  transport: "all of these again, decoded",
  version: "canonical names, with versions filled in",
  case: "canonical names, whatever the case",
  context: "raw names",
};

/** What the text was to the tool it led to. */
const FOUND_AS: Readonly<Record<ResolveStep, string>> = {
  public: "its public name",
  canonical: "its canonical name",
  alias: "a declared alias or a former name of it",
  spelling: "its name as some client sends or shows it",
  transport: "an encoded form of its name",
  version: "its canonical name, with versions filled in",
  case: "its canonical name in another case",
  context: "its raw name",
};

/** @example explainStep("public"); // "its public name" */
export function explainStep(step: ResolveStep): string {
  return FOUND_AS[step];
}

export function explainResolution(
  input: string | StructuredName,
  resolution: Resolution,
  table: NamingTable,
): readonly string[] {
  const asked =
    typeof input === "string" ? input : [input.toolbox, input.server, input.name].filter(Boolean).join(" / ");
  const lines = [`${quoteText(asked)} ${summarize(resolution)}`];
  for (const { step, tried, outcome } of resolution.steps) {
    const shown = tried === asked ? "" : ` for ${quoteText(tried)}`;
    lines.push(`  looked in ${LOOKED_IN[step]}${shown}: ${outcome}`);
  }
  if (resolution.outcome === "resolved") {
    const entry = table.tools[table.indexOf(table.nameOf(resolution.tool) ?? "") ?? -1];
    if (entry !== undefined) {
      lines.push(
        `  its name in the profile ${table.profile.id} is ${quoteText(entry.name)}: ${explainWhy(entry.why)}`,
      );
    }
  }
  for (const warning of resolution.warnings) lines.push(`  note: ${escapeText(warning)}`);
  return lines;
}

function summarize(resolution: Resolution): string {
  switch (resolution.outcome) {
    case "resolved":
      return `is ${quoteText(resolution.tool.canonical)} (${explainStep(resolution.step)})`;
    case "ambiguous":
      return `could be any of ${resolution.candidates.map((tool) => quoteText(tool.canonical)).join(", ")}`;
    case "retired":
      return resolution.successor === undefined
        ? `was a name of ${quoteText(resolution.canonical)}, which is gone`
        : `is retired; call ${quoteText(resolution.successor)} instead`;
    case "unknown": {
      const near = resolution.suggestions.map((name) => quoteText(name)).join(", ");
      const problem =
        resolution.problem === undefined ? "" : `; ${resolution.problem.message} ${resolution.problem.fix}`;
      return `is unknown${near === "" ? "" : `; near it are ${near}`}${problem}`;
    }
  }
}
