// The marks of the matrix: what would become of a raw name in one client, in a sign and a word.

import type { Profile } from "@onym/core";
import { type Cell, widestText } from "../../../output/format-table.js";
import type { MatrixEntry, MatrixRow } from "./matrix-row.js";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["bad-characters", "chars"],
  ["sent-bad-characters", "chars"],
  ["unsafe-characters", "chars"],
  ["bad-first-character", "first letter"],
  ["bad-last-character", "last letter"],
  ["forbidden-sequence", "sequence"],
  ["bad-shape", "shape"],
  ["too-long", "too long"],
  ["sent-too-long", "too long"],
  ["over-safe-length", "long"],
  ["sent-over-safe-length", "long"],
  ["collision", "collides"],
  ["bad-alias", "server id"],
]);

function markText({ rawProblem }: MatrixEntry, compact: boolean): string {
  if (rawProblem === undefined) return "✓";
  const mark = isGrave(rawProblem) ? "✗" : "!";
  return compact ? mark : `${mark} ${reasonOf(rawProblem)}`;
}

function reasonOf({ code }: NonNullable<MatrixEntry["rawProblem"]>): string {
  return REASONS.get(code) ?? code;
}

/** What is grave goes before what may be. */
export function reasonsOf(entries: readonly MatrixEntry[]): string {
  const problems = entries.flatMap(({ rawProblem }) => (rawProblem === undefined ? [] : [rawProblem]));
  const grave = problems.filter(isGrave);
  return [...new Set((grave.length > 0 ? grave : problems).map(reasonOf))].join(", ");
}

/** As lint judges it. */
export function isGrave({ severity }: NonNullable<MatrixEntry["rawProblem"]>): boolean {
  return severity === "error";
}

export function markOf(entry: MatrixEntry, compact: boolean): Cell {
  const problem = entry.rawProblem;
  const style = problem === undefined ? "green" : isGrave(problem) ? "red" : "yellow";
  return { text: markText(entry, compact), style };
}

export function markWidth(profile: Profile, rows: readonly MatrixRow[]): number {
  const marks = rows.flatMap(({ names }) => names.filter((entry) => entry.profile === profile));
  return widestText(
    marks.map((entry) => markText(entry, false)),
    profile.id.length,
  );
}
