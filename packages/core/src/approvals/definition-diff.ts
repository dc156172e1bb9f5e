// What changed between two definitions, field by field, for a person who approved the first and is asked about the second.

import type { ToolDefinition } from "../catalog/tool.js";
import { canonicalJson } from "../identity/canonical-json.js";
import { compareText } from "../names/compare-text.js";
import { digestedFields } from "./definition-digest.js";

export interface DefinitionChange {
  readonly kind: "added" | "removed" | "changed";
  /** JSON path with foreign keys in it as they are: `$.inputSchema.properties["to whom"]`. Escape it for display. */
  readonly path: string;
  /** Absent where the field was added. */
  readonly before?: unknown;
  /** Absent where the field was removed. */
  readonly after?: unknown;
}

export interface DefinitionDiff {
  /** In order of their paths; empty exactly where the digests are equal. */
  readonly changes: readonly DefinitionChange[];
  /** How many more there are than were asked for. */
  readonly omitted: number;
}

/** Below this depth a subtree is compared as a whole: nobody reads longer paths. */
const MAX_DEPTH = 64;

interface Pair {
  readonly path: string;
  readonly depth: number;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Compares what the digest speaks for, so that no difference means no change. Walks with a stack of its own: neither
 * depth nor size from outside makes it throw.
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
  // A value that contains itself has no digest and cannot have been approved; its branches have no end.
  const isEndless = textOf(pairs[0]?.before) === undefined || textOf(pairs[0]?.after) === undefined;
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const inner = isEndless ? undefined : innerPairs(pair);
    if (inner !== undefined) {
      for (const each of inner.reverse()) pairs.push(each);
    } else if (isEndless || textOf(pair.before) !== textOf(pair.after)) {
      if (changes.length < max) changes.push(changeOf(pair));
      else omitted += 1;
    }
  }
  return { changes, omitted };
}

/** The fields of two objects or the items of two lists, one beside the other; nothing for what is compared whole. */
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
  const keys = [...new Set([...jsonKeys(before), ...jsonKeys(after)])].sort(compareText);
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

/** Absent is its own text, apart from `null`. */
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

/** An own, enumerable field that JSON knows; `undefined` for every other. */
function jsonField(value: object, key: string): unknown {
  const isListed = Object.prototype.propertyIsEnumerable.call(value, key);
  const field: unknown = isListed ? Reflect.get(value, key) : undefined;
  return typeof field === "function" || typeof field === "symbol" ? undefined : field;
}
