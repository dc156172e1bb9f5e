// The edits that take back what was written, in a file that others have changed since: only where they left it as it was written.

import type { Edit, EditStep } from "../../../../documents/edit.js";
import { isSame, memberOf } from "../../../../documents/edit-document.js";

export type Reverted =
  | { readonly ok: true; readonly value: readonly Edit[] }
  | { readonly ok: false; readonly reason: string };

export interface ThreeValues {
  /** Before it was written. */
  readonly was: unknown;
  readonly written: unknown;
  /** Now. */
  readonly is: unknown;
}

export function revertEdits(values: ThreeValues): Reverted {
  const edits: Edit[] = [];
  const conflict = collect(values, [], edits);
  return conflict === undefined
    ? { ok: true, value: edits }
    : { ok: false, reason: `${conflict} was changed since` };
}

/** The path of the first conflict. */
function collect(
  { was, written, is }: ThreeValues,
  path: readonly EditStep[],
  edits: Edit[],
): string | undefined {
  if (isSame(was, written)) return undefined;
  if (isSame(written, is)) {
    edits.push({ path, value: was });
    return undefined;
  }
  if (isSame(was, is)) return undefined;
  // A table of entries that was not there is one without entries; an entry that was not there is taken back whole.
  const table = path.length <= 1 ? (was ?? {}) : was;
  if ([table, written, is].every(isObject)) {
    const keys = new Set([table, written].flatMap((value) => Object.keys(Object(value))));
    for (const key of keys) {
      const inner = { was: memberOf(table, key), written: memberOf(written, key), is: memberOf(is, key) };
      const conflict = collect(inner, [...path, key], edits);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }
  const lists = [was ?? [], written ?? [], is ?? []];
  if (lists.every(isPlainList)) {
    const [before = [], after = [], now = []] = lists;
    const kept = now.filter((item) => before.includes(item) || !after.includes(item));
    edits.push({
      path,
      value: [...kept, ...before.filter((item) => !after.includes(item) && !kept.includes(item))],
    });
    return undefined;
  }
  return path.map((step) => (typeof step === "string" ? step : step.name)).join(".");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item !== "object");
}
