// What changed between two locks, for people: one line for a tool and its name, however many profiles share it.

import { escapeText, type Lock, type LockDiff, type MovedNameChange, type NameChange } from "@onym/core";
import { type Cell, formatTable } from "./format-table.js";
import type { Paint, Style } from "./paint.js";

const MOST_LINES = 40;

export function formatDiff(diff: LockDiff, paint: Paint): readonly string[] {
  const sections: readonly (readonly [string, Style, string, readonly (NameChange | MovedNameChange)[]])[] = [
    ["added", "green", "+", diff.added],
    ["retired", "yellow", "-", diff.retired],
    ["moved", "red", "→", diff.moved],
  ];
  const lines: string[] = [];
  for (const [title, style, mark, changes] of sections) {
    if (changes.length === 0) continue;
    const rows = groupChanges(changes, mark, style);
    lines.push(paint("bold", `${title}: ${changes.length}`), ...clip(formatTable(rows, paint)));
  }
  if (diff.redefined.length > 0) {
    lines.push(
      paint("bold", `definitions changed: ${diff.redefined.length}`),
      ...clip(diff.redefined.map((canonical) => `  ~ ${escapeText(canonical)}`)),
    );
  }
  lines.push(paint("dim", `kept: ${diff.kept}`));
  return lines;
}

/** Profiles spell one tool in several ways; the commonest stands for them. */
function groupChanges(
  changes: readonly (NameChange | MovedNameChange)[],
  mark: string,
  style: Style,
): readonly Cell[][] {
  const tools = new Map<string, Map<string, number>>();
  for (const change of changes) {
    const spelled =
      "from" in change ? `${escapeText(change.from)} → ${escapeText(change.name)}` : escapeText(change.name);
    const counts = tools.get(change.canonical) ?? new Map<string, number>();
    tools.set(change.canonical, counts.set(spelled, (counts.get(spelled) ?? 0) + 1));
  }
  return [...tools].map(([canonical, counts]) => {
    const [[name = "", times = 0] = [], ...others] = [...counts].sort((a, b) => b[1] - a[1]);
    const profiles = others.reduce((sum, [, count]) => sum + count, times);
    const more =
      others.length === 0 ? "" : `, ${others.length} other spelling${others.length === 1 ? "" : "s"}`;
    return [
      { text: `  ${mark} ${name}`, style },
      escapeText(canonical),
      { text: `in ${profiles} profile${profiles === 1 ? "" : "s"}${more}`, style: "dim" as const },
    ];
  });
}

function clip(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `  … and ${lines.length - MOST_LINES} more; --json lists them all`];
}

/** Drift that moves no name: tools with another canonical name, profiles with another style. */
export function otherChanges(before: Lock, after: Lock): readonly string[] {
  const lines: string[] = [];
  for (const [key, { canonical }] of after.tools) {
    const old = before.tools.get(key)?.canonical;
    if (old !== undefined && old !== canonical)
      lines.push(`  ~ ${escapeText(old)} is now ${escapeText(canonical)}`);
  }
  for (const [id, { style }] of after.profiles) {
    const old = before.profiles.get(id)?.style;
    if (old !== undefined && old !== style)
      lines.push(`  ~ the style of ${escapeText(id)} is now ${style}, was ${old}`);
  }
  return clip(lines);
}
