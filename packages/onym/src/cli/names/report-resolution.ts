// A resolution as `onym resolve --json` prints it (Appendix A).

import type { Resolution, ResolveStep, StepTaken, Tool } from "@onym/core";

/** A tool by its canonical name and by what makes it up. */
interface ReportedTool {
  readonly canonical: string;
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly raw: string;
}

export interface ResolutionReport extends Partial<ReportedTool> {
  readonly input: string;
  readonly outcome: Resolution["outcome"];
  readonly step?: ResolveStep;
  readonly candidates?: readonly ReportedTool[];
  readonly suggestions?: readonly string[];
  readonly successor?: string | undefined;
  /** The tool that it would be if the filters of its server did not hide it. */
  readonly hidden?: ReportedTool;
  readonly warnings: readonly string[];
  readonly steps: readonly StepTaken[];
}

export function reportResolution(input: string, resolution: Resolution, hidden?: Tool): ResolutionReport {
  const report = reportOutcome(input, resolution);
  return hidden === undefined ? report : { ...report, hidden: reportTool(hidden) };
}

function reportOutcome(input: string, resolution: Resolution): ResolutionReport {
  const { outcome, warnings, steps } = resolution;
  switch (resolution.outcome) {
    case "resolved":
      return {
        input,
        outcome,
        ...reportTool(resolution.tool),
        step: resolution.step,
        successor: resolution.successor,
        warnings,
        steps,
      };
    case "ambiguous":
      return {
        input,
        outcome,
        step: resolution.step,
        candidates: resolution.candidates.map(reportTool),
        warnings,
        steps,
      };
    case "retired":
      return {
        input,
        outcome,
        canonical: resolution.canonical,
        step: resolution.step,
        successor: resolution.successor,
        warnings,
        steps,
      };
    case "unknown": {
      const { problem } = resolution;
      const messages = problem === undefined ? warnings : [...warnings, `${problem.message} ${problem.fix}`];
      return { input, outcome, suggestions: resolution.suggestions, warnings: messages, steps };
    }
  }
}

function reportTool({ canonical, server, toolbox, raw }: Tool): ReportedTool {
  return { canonical, server, toolbox, raw };
}
