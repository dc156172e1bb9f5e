// Findings for people: by tool, and once for all the profiles that find the same.

import { escapeText, quoteText } from "@onym/core";
import { formatTable } from "../../../output/format-table.js";
import type { Paint } from "../../../output/paint.js";
import { SEVERITY_STYLE } from "../../../output/show-problems.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { wrapText } from "../../../output/wrap-text.js";
import { countFindings, type Finding, type LintResult } from "./finding.js";

interface Group {
  readonly finding: Finding;
  readonly profiles: string[];
}

/** Nothing at all where nothing was found. */
export function formatFindings(
  { findings, suggestions = new Map() }: Pick<LintResult, "findings" | "suggestions">,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  if (findings.length === 0) return [];
  const lines: string[] = [];
  const tools = [...groupByTool(findings)];
  for (const groups of tools) {
    const [first] = groups;
    const name = suggestions.get(first?.finding.tool ?? "");
    lines.push(headOf(first?.finding, paint));
    // One name that is right everywhere, in place of one for each rule.
    if (name !== undefined)
      lines.push(`  ${paint("green", `use ${quoteText(name)}`)}, which works in every client`);
    lines.push(...formatGroups(groups, { paint, columns, isSettled: name !== undefined }));
  }
  lines.push("", summarize(tools));
  return lines;
}

/** What several clients find alike is one problem, as it stands above. The JSON counts every finding. */
function summarize(tools: readonly (readonly Group[])[]): string {
  const { errors, warnings, infos } = countFindings(tools.flat().map(({ finding }) => finding));
  const counts = [
    countNoun(errors, "error"),
    countNoun(warnings, "warning"),
    ...(infos > 0 ? [countNoun(infos, "note")] : []),
  ];
  const named = tools.filter(([first]) => first?.finding.tool !== null).length;
  return `${counts.join(", ")}${named === 0 ? "" : ` in ${countNoun(named, "tool")}`}.`;
}

function headOf(finding: Finding | undefined, paint: Paint): string {
  const { tool = null } = finding ?? {};
  return paint("bold", tool === null ? "(all tools)" : escapeText(tool));
}

function formatGroups(
  groups: readonly Group[],
  { paint, columns, isSettled }: Pick<Terminal, "paint" | "columns"> & { readonly isSettled: boolean },
): readonly string[] {
  const heads = formatTable(
    groups.map(({ finding }) => [
      { text: `  ${finding.severity}`, style: SEVERITY_STYLE[finding.severity] },
      finding.code,
    ]),
    paint,
  );
  const width = Math.max(...groups.map(({ finding }) => finding.code.length));
  return groups.flatMap(({ finding, profiles }, index) => {
    const { code, message, fix } = finding;
    const head = `${heads[index] ?? ""}${" ".repeat(width - code.length)}`;
    const ids = paint("dim", profiles.join(" "));
    const line = profiles.length === 0 ? (heads[index] ?? "") : `${head}  ${ids}`;
    const fits = wrapText(line, { columns }).length === 1;
    return [
      ...(fits
        ? [line]
        : [
            heads[index] ?? "",
            ...dimLines(wrapText(profiles.join(" "), { columns, indent: "    " }), paint),
          ]),
      ...wrapText(message, { columns, indent: "    " }),
      ...(isSettled && fix.startsWith("Use ")
        ? []
        : dimLines(wrapText(fix, { columns, indent: "    " }), paint)),
    ];
  });
}

function dimLines(lines: readonly string[], paint: Paint): readonly string[] {
  return lines.map((line) => paint("dim", line));
}

function groupByTool(findings: readonly Finding[]): Iterable<readonly Group[]> {
  const tools = new Map<string | null, Map<string, Group>>();
  for (const finding of findings) {
    const { tool, code, severity, fix, message, profile } = finding;
    const groups = tools.get(tool) ?? new Map<string, Group>();
    tools.set(tool, groups);
    // Messages name the profile, so what is alike is the code and the way out.
    const key = JSON.stringify([
      code,
      severity,
      fix.startsWith("Use ") ? "" : fix,
      profile === null ? message : "",
    ]);
    const group = groups.get(key) ?? { finding, profiles: [] };
    groups.set(key, group);
    if (profile !== null) group.profiles.push(profile);
  }
  return [...tools.values()].map((groups) => [...groups.values()]);
}
