// Finds tools of different servers whose names a person or a model can mistake for each other (SAFE-2). Only
// reports them: raw names never change.

import { foldAscii } from "../names/ascii-fold.js";
import { compareText } from "../names/compare-text.js";
import { escapeText, quoteText } from "../names/escape-text.js";
import { skeletonOf } from "../names/skeleton.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";

export interface LookAlikeFinding extends CatalogProblem {
  readonly code: "look-alike";
  readonly severity: "warning";
}

/** The part of a tool that the check needs. */
interface NamedTool {
  readonly server: string;
  readonly toolbox?: string | undefined;
  readonly raw: string;
  readonly canonical?: string | undefined;
}

interface Look {
  readonly tool: NamedTool;
  readonly skeleton: string;
}

const SHOWN = 5;

/**
 * One finding per group of names that look alike across servers. Names that differ only in case, such as `Search`
 * and `search`, are easy to distinguish and give no finding.
 *
 * @example
 * findLookAlikes([
 *   { server: "docs", raw: "search" },
 *   { server: "other", raw: "s\u0435arch" }, // Cyrillic е
 * ]).length; // 1
 */
export function findLookAlikes(tools: readonly NamedTool[]): readonly LookAlikeFinding[] {
  const byLook = groupBy(
    tools.map((tool): Look => ({ tool, skeleton: skeletonOf(tool.raw) })),
    // Folding creates new look-alikes (`M` → `m` → `rn`), so the skeleton is computed again.
    ({ skeleton }) => skeletonOf(foldAscii(skeleton)),
  );
  const findings: LookAlikeFinding[] = [];
  for (const group of byLook.values()) {
    if (canBeTakenForEachOther(group))
      findings.push(findingOf(group.map(({ tool }) => tool).sort(compareTools)));
  }
  return findings.sort((a, b) => compareText(a.message, b.message));
}

/** Whether two names on different servers differ by more than case, or look exactly the same. */
function canBeTakenForEachOther(group: readonly Look[]): boolean {
  if (group.length < 2 || !differs(group, ({ tool }) => tool.raw) || !differs(group, serverOf)) return false;
  // If neither all servers nor all folded names are equal, some pair differs in both.
  if (differs(group, ({ tool }) => tool.raw.toLowerCase())) return true;
  const bySkeleton = groupBy(group, ({ skeleton }) => skeleton);
  return [...bySkeleton.values()].some(
    (same) => differs(same, ({ tool }) => tool.raw) && differs(same, serverOf),
  );
}

function findingOf(tools: readonly NamedTool[]): LookAlikeFinding {
  const shown = tools.slice(0, SHOWN).map((tool) => `${showName(tool.raw)} on ${quoteText(tool.server)}`);
  const rest = tools.length > SHOWN ? ` and ${tools.length - SHOWN} more` : "";
  return {
    ...catalogProblem({
      code: "look-alike",
      message: `Tools of different servers look alike: ${shown.join(", ")}${rest}.`,
      fix: "Make sure that each server is the one you mean; leave out or rename the tool that imitates another.",
      tools: tools.map(({ canonical, server, raw }) => escapeText(canonical ?? `${server}/${raw}`)),
      servers: [...new Set(tools.map(({ server }) => server))].sort(compareText),
    }),
    code: "look-alike",
    severity: "warning",
  };
}

/** The name, plus its non-ASCII characters, because look-alikes would otherwise be shown the same. */
function showName(raw: string): string {
  const foreign = new Set(raw.match(/[^\x20-\x7E]/gu));
  if (foreign.size === 0) return quoteText(raw);
  const codePoints = [...foreign].slice(0, SHOWN).map((character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `U+${hex.padStart(4, "0")}`;
  });
  return `${quoteText(raw)} (with ${codePoints.join(", ")}${foreign.size > SHOWN ? ", …" : ""})`;
}

function serverOf({ tool }: Look): string {
  return JSON.stringify([tool.toolbox ?? null, tool.server]);
}

function differs<T>(members: readonly T[], keyOf: (member: T) => string): boolean {
  const [first, ...others] = members.map(keyOf);
  return others.some((other) => other !== first);
}

function groupBy<T>(members: readonly T[], keyOf: (member: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}

function compareTools(a: NamedTool, b: NamedTool): number {
  return (
    compareText(a.raw, b.raw) ||
    compareText(a.toolbox ?? "", b.toolbox ?? "") ||
    compareText(a.server, b.server)
  );
}
