// Findings for people: by tool, and once for all the profiles that find the same.

import { escapeText } from "@onym/core";
import { formatTable } from "./format-table.js";
import { countFindings, type Finding } from "./lint-findings.js";
import type { Paint } from "./paint.js";
import { SEVERITY_STYLE } from "./show-problems.js";

interface Group {
  readonly finding: Finding;
  readonly profiles: string[];
}

/** Nothing at all where nothing was found. */
export function formatFindings(findings: readonly Finding[], paint: Paint): readonly string[] {
  if (findings.length === 0) return [];
  const lines: string[] = [];
  for (const [tool, groups] of groupByTool(findings)) {
    lines.push(paint("bold", tool === null ? "(all tools)" : escapeText(tool)));
    const rows = groups.map(({ finding, profiles }) => [
      { text: `  ${finding.severity}`, style: SEVERITY_STYLE[finding.severity] },
      finding.code,
      { text: profiles.join(" "), style: "dim" as const },
    ]);
    formatTable(rows, paint).forEach((line, index) => {
      const { message, fix } = groups[index]?.finding ?? { message: "", fix: "" };
      lines.push(line, `    ${message}`, paint("dim", `    ${fix}`));
    });
  }
  const { errors, warnings, infos } = countFindings(findings);
  const told = [
    count(errors, "error"),
    count(warnings, "warning"),
    ...(infos > 0 ? [count(infos, "note")] : []),
  ];
  lines.push("", `${told.join(", ")}.`);
  return lines;
}

function groupByTool(findings: readonly Finding[]): ReadonlyMap<string | null, readonly Group[]> {
  const tools = new Map<string | null, Map<string, Group>>();
  for (const finding of findings) {
    const groups = tools.get(finding.tool) ?? new Map<string, Group>();
    tools.set(finding.tool, groups);
    // Messages name the profile, so what is alike is the code and the way out.
    const isShared = finding.profile !== null;
    const key = JSON.stringify([
      finding.code,
      finding.severity,
      finding.fix,
      isShared ? "" : finding.message,
    ]);
    const group = groups.get(key) ?? { finding, profiles: [] };
    groups.set(key, group);
    if (finding.profile !== null) group.profiles.push(finding.profile);
  }
  return new Map([...tools].map(([tool, groups]) => [tool, [...groups.values()]]));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
