// What changed between two locks, for people: one line for a tool and its name, however many profiles share it.

import {
  escapeText,
  type HandedOnName,
  type Lock,
  type LockDiff,
  type MovedNameChange,
  type NameChange,
} from "@onym/core";
import { fitColumns } from "../../../output/fit-columns.js";
import { type Cell, formatTable } from "../../../output/format-table.js";
import type { Style } from "../../../output/paint.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";

const MAX_LINES = 40;

/** Two locks, and what happened between them. */
export interface Compared {
  readonly before: Lock;
  readonly after: Lock;
  readonly diff: LockDiff;
}

/** What is printed last gives way first on a narrow screen. */
const YIELDING = [
  { column: 2, least: 8 },
  { column: 1, least: 12 },
  { column: 0, least: 12 },
];

export function formatDiff(
  { before, after, diff }: Compared,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const sections: readonly Section[] = [
    { title: "added", style: "green", mark: "+", changes: diff.added, lock: after },
    { title: "retired", style: "yellow", mark: "-", changes: diff.retired, lock: before },
    { title: "moved", style: "red", mark: "→", changes: diff.moved, lock: after },
    { title: "handed on", style: "cyan", mark: "=", changes: diff.handedOn, lock: after },
  ];
  const lines: string[] = [];
  for (const section of sections) {
    const { title, changes } = section;
    if (changes.length === 0) continue;
    const rows = groupChanges(section);
    const heading = `${title}: ${countNoun(rows.length, "tool")} (${countNoun(changes.length, "name")})`;
    lines.push(paint("bold", heading), ...clip(formatTable(fitColumns(rows, columns, YIELDING), paint)));
  }
  if (diff.redefined.length > 0) {
    lines.push(
      paint("bold", `definitions changed: ${diff.redefined.length}`),
      ...clip(redefinedTools(before, after).map((tool) => `  ~ ${tool}`)),
    );
  }
  lines.push(paint("dim", `kept: ${countNoun(diff.kept, "name")}`));
  return lines;
}

interface Section {
  readonly title: string;
  readonly style: Style;
  readonly mark: string;
  readonly changes: readonly (NameChange | MovedNameChange | HandedOnName)[];
  /** The lock in which the changes stand. */
  readonly lock: Lock;
}

/** One tool, and how often it is spelled in each way. */
interface ChangedTool {
  readonly canonical: string;
  readonly spellings: Map<string, number>;
}

/** By identity. The commonest spelling stands for all. */
function groupChanges({ changes, mark, style, lock }: Section): readonly Cell[][] {
  const tools = new Map<string, ChangedTool>();
  for (const change of changes) {
    const { profile, name } = change;
    const canonical = "formerly" in change ? `${change.formerly} → ${change.canonical}` : change.canonical;
    const key = lock.profiles.get(profile)?.names.get(name)?.key;
    const id = key ?? canonical;
    const tool = tools.get(id) ?? { canonical, spellings: new Map<string, number>() };
    tools.set(id, tool);
    const spelled =
      "from" in change && change.from !== name
        ? `${escapeText(change.from)} → ${escapeText(name)}`
        : escapeText(name);
    tool.spellings.set(spelled, (tool.spellings.get(spelled) ?? 0) + 1);
  }
  return [...tools.values()].map(({ canonical, spellings }) => {
    const [[name = "", times = 0] = [], ...others] = [...spellings].sort((a, b) => b[1] - a[1]);
    const profiles = others.reduce((sum, [, count]) => sum + count, times);
    const more = others.length === 0 ? "" : `, ${countNoun(others.length, "other spelling")}`;
    return [
      { text: `  ${mark} ${name}`, style },
      escapeText(canonical),
      { text: `in ${countNoun(profiles, "profile")}${more}`, style: "dim" as const },
    ];
  });
}

function redefinedTools(before: Lock, after: Lock): readonly string[] {
  return [...after.tools].flatMap(([key, { canonical, digest }]) => {
    const old = before.tools.get(key)?.digest;
    return old === undefined || old === digest ? [] : [escapeText(canonical)];
  });
}

function clip(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `  … and ${lines.length - MAX_LINES} more; --json lists them all`];
}

/** What fails a check is what is listed, and nothing else (LOCK-6). */
export function isAnyChange(
  { added, retired, moved, handedOn, redefined }: LockDiff,
  other: readonly OtherChange[],
): boolean {
  return [added, retired, moved, handedOn, redefined, other].some(({ length }) => length > 0);
}

/** A difference between two locks that gives no tool another name. */
export type OtherChange =
  | { readonly kind: "canonical"; readonly from: string; readonly to: string }
  | { readonly kind: "style"; readonly profile: string; readonly from: string; readonly to: string }
  /** A name of a tool that was gone: the tool is back under another one, and this still leads to it. */
  | { readonly kind: "former"; readonly profile: string; readonly name: string };

/** With what `diffLocks` finds, everything in which `after` can differ from the lock it was made from (LOCK-6). */
export function otherChanges(before: Lock, after: Lock): readonly OtherChange[] {
  const changes: OtherChange[] = [];
  for (const [key, { canonical }] of after.tools) {
    const old = before.tools.get(key)?.canonical;
    if (old !== undefined && old !== canonical) changes.push({ kind: "canonical", from: old, to: canonical });
  }
  for (const [profile, { style, names }] of after.profiles) {
    const old = before.profiles.get(profile);
    if (old === undefined) continue;
    if (old.style !== style) changes.push({ kind: "style", profile, from: old.style, to: style });
    for (const [name, { retired }] of names)
      if (retired === "renamed" && old.names.get(name)?.retired === "removed")
        changes.push({ kind: "former", profile, name });
  }
  return changes;
}

export function formatOtherChanges(changes: readonly OtherChange[]): readonly string[] {
  return clip(changes.map((change) => `  ~ ${describeOther(change)}`));
}

/** For reports, where there are any. */
export function reportOther(changes: readonly OtherChange[]): { readonly other?: readonly OtherChange[] } {
  return changes.length === 0 ? {} : { other: changes };
}

function describeOther(change: OtherChange): string {
  switch (change.kind) {
    case "canonical":
      return `${escapeText(change.from)} is now ${escapeText(change.to)}`;
    case "style":
      return `the style of ${escapeText(change.profile)} is now ${change.to}, was ${change.from}`;
    case "former":
      return `${escapeText(change.name)} is a former name now, in ${escapeText(change.profile)}`;
  }
}
