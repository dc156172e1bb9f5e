// The difference between two definitions in words, safe to show: nothing in it can hide, reorder or end a line (SAFE-1).

import { canonicalJson } from "../identity/canonical-json.js";
import { escapeText, quoteText } from "../names/escape-text.js";
import type { DefinitionChange, DefinitionDiff } from "./definition-diff.js";

/** How much of one value a line shows. */
const SHOWN = 200;
/** How much of what two texts share is kept before their first difference, for orientation. */
const LEAD = 20;

/**
 * One line for each change. Of two long texts the part from their first difference on is shown, so that what was
 * added in the middle cannot hide behind a shared beginning.
 *
 * @example
 * explainDefinitionDiff(diffDefinitions({ title: "Find" }, { title: "Send" }));
 * // ['changed $.title: "Find" → "Send"']
 */
export function explainDefinitionDiff(diff: DefinitionDiff): readonly string[] {
  const lines = diff.changes.map(explainChange);
  return diff.omitted === 0 ? lines : [...lines, `and ${diff.omitted} more`];
}

function explainChange({ kind, path, before, after }: DefinitionChange): string {
  const place = `${kind} ${cut(escapeText(path))}`;
  if (kind === "added") return `${place}: ${showValue(after)}`;
  if (kind === "removed") return `${place}: ${showValue(before)}`;
  if (typeof before !== "string" || typeof after !== "string")
    return `${place}: ${showValue(before)} → ${showValue(after)}`;
  const from = Math.max(before.length, after.length) > SHOWN ? differenceOf(before, after) : 0;
  return `${place}: ${showText(before, from)} → ${showText(after, from)}`;
}

function showValue(value: unknown): string {
  if (typeof value === "string") return showText(value, 0);
  try {
    return cut(escapeText(canonicalJson(value)));
  } catch {
    return "a value that contains itself";
  }
}

function showText(text: string, from: number): string {
  const shown = text.slice(from);
  const length = shown.length > SHOWN || from > 0 ? ` (${text.length} characters)` : "";
  return `${from > 0 ? "…" : ""}${quoteText(shown, SHOWN)}${length}`;
}

function differenceOf(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return Math.max(0, at - LEAD);
}

function cut(shown: string): string {
  return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN)}… (${shown.length} characters)`;
}
