// The changes between two definitions, field by field, for a person who approved the first and is asked about the
// second.

import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";
import { sortTexts } from "../names/compare-text.js";
import { escapeText, quoteText } from "../names/escape-text.js";
import { digestedFields } from "./definition-digest.js";

export interface DefinitionChange {
  readonly kind: "added" | "removed" | "changed";
  /** JSON path with unescaped foreign keys: `$.inputSchema.properties["to whom"]`. Escape it for display. */
  readonly path: string;
  /** Absent if the field was added. */
  readonly before?: unknown;
  /** Absent if the field was removed. */
  readonly after?: unknown;
}

export interface DefinitionDiff {
  /** Ordered by path; empty exactly if the digests are equal. */
  readonly changes: readonly DefinitionChange[];
  /** The number of changes beyond the requested maximum. */
  readonly omitted: number;
}

/** Below this depth a subtree is compared as a whole, because longer paths are unreadable. */
const MAX_DEPTH = 64;

interface Pair {
  readonly path: string;
  readonly depth: number;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Compares the fields that the digest covers, so an empty diff means no change. Uses an explicit stack: neither
 * depth nor size of foreign data makes it throw.
 *
 * @example
 * diffDefinitions({ description: "Finds" }, { description: "Deletes" }).changes;
 * // [{ kind: "changed", path: "$.description", before: "Finds", after: "Deletes" }]
 */
export function diffDefinitions(
  before: ToolDefinition,
  after: ToolDefinition,
  options: { readonly max?: number } = {},
): DefinitionDiff {
  const { max = 100 } = options;
  const changes: DefinitionChange[] = [];
  let omitted = 0;
  const pairs: Pair[] = [
    { path: "$", depth: 0, before: digestedFields(before), after: digestedFields(after) },
  ];
  // A value that contains itself has no digest and cannot have been approved; its branches never end.
  const isEndless = textOf(pairs[0]?.before) === undefined || textOf(pairs[0]?.after) === undefined;
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const inner = isEndless ? undefined : innerPairs(pair);
    if (inner !== undefined) {
      for (const each of inner.reverse()) pairs.push(each);
    } else if (isEndless || !isSame(pair)) {
      if (changes.length < max) changes.push(changeOf(pair));
      else omitted += 1;
    }
  }
  return { changes, omitted };
}

/** The fields of two objects or the items of two lists, paired; `undefined` for values that are compared whole. */
function innerPairs({ path, depth, before, after }: Pair): Pair[] | undefined {
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
      path: `${path}[${index}]`,
      depth: depth + 1,
      before: index < before.length ? (before[index] ?? null) : undefined,
      after: index < after.length ? (after[index] ?? null) : undefined,
    }));
  }
  if (!isPlainObject(before) || !isPlainObject(after)) return undefined;
  const keys = sortTexts(new Set([...jsonKeys(before), ...jsonKeys(after)]));
  return keys.map((key) => ({
    path: `${path}${/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`,
    depth: depth + 1,
    before: jsonField(before, key),
    after: jsonField(after, key),
  }));
}

function changeOf({ path, before, after }: Pair): DefinitionChange {
  if (before === undefined) return { kind: "added", path, after };
  return after === undefined ? { kind: "removed", path, before } : { kind: "changed", path, before, after };
}

/** Nearly all values are texts, which need no JSON to be compared. */
function isSame({ before, after }: Pair): boolean {
  if (typeof before === "string" && typeof after === "string") return before === after;
  return textOf(before) === textOf(after);
}

/** An absent value has its own text, different from `null`. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return "";
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonKeys(value: object): readonly string[] {
  return Object.keys(value).filter((key) => jsonField(value, key) !== undefined);
}

/** An own, enumerable field with a JSON value; `undefined` for every other. */
function jsonField(value: object, key: string): unknown {
  const isListed = Object.prototype.propertyIsEnumerable.call(value, key);
  const field: unknown = isListed ? Reflect.get(value, key) : undefined;
  return typeof field === "function" || typeof field === "symbol" ? undefined : field;
}

// The difference between two definitions as text that is safe to show: nothing in it can hide, reorder or end a
// line (SAFE-1).

/** The maximum length of a value in a line. */
const SHOWN = 200;
/** How much of the common start is shown before the first difference, for orientation. */
const LEAD = 20;

/**
 * One line per change. Long texts are shown from their first difference on, so that an insertion in the middle
 * cannot hide behind a common start.
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
