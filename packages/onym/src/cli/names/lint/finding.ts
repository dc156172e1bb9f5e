// A finding of lint, and how many there are of each kind.

import type { Problem, Profile, Severity } from "@onym/core";
import type { Place } from "../../../config/json/json-path.js";

export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  /** Whose rule it is; `null` where it holds everywhere. */
  readonly profile: string | null;
  /** Canonical name, or the raw name where there is no config; `null` where it is about no single tool. */
  readonly tool: string | null;
  readonly message: string;
  readonly fix: string;
  readonly place?: Place | undefined;
}

export interface LintResult {
  readonly findings: readonly Finding[];
  /** How many tools were looked at. */
  readonly tools: number;
  /** By the name that findings have for a tool: one that is right in every client. */
  readonly suggestions?: ReadonlyMap<string, string>;
}

export function findingOf(
  { code, severity, message, fix }: Pick<Problem, "code" | "severity" | "message" | "fix">,
  profile: Profile | undefined,
  tool: string | null,
): Finding {
  // What is left of a name in another script is no name.
  const isEmpty = /^Use "[_-]+"\.$/.test(fix);
  return {
    code,
    severity,
    profile: profile?.id ?? null,
    tool,
    message,
    fix: isEmpty ? "Give it a name of letters, digits and underscores." : fix,
  };
}

export interface FindingCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

export function countFindings(findings: readonly Finding[]): FindingCounts {
  const count = (wanted: Severity): number => findings.filter(({ severity }) => severity === wanted).length;
  return { errors: count("error"), warnings: count("warning"), infos: count("info") };
}
