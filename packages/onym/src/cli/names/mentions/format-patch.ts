// A change of some lines as a unified diff. Lines are replaced one by one, so that both sides have as many.

import { escapeText } from "@onym/core";
import type { Paint } from "../../../output/paint.js";

const CONTEXT = 1;

/** Nothing where nothing changes. */
export function formatPatch(
  { path, before, after }: { readonly path: string; readonly before: string; readonly after: string },
  paint: Paint,
): readonly string[] {
  const old = before.split("\n");
  const changed = after.split("\n");
  const differs = old.flatMap((line, at) => (line === changed[at] ? [] : [at]));
  if (differs.length === 0) return [];
  const lines = [paint("bold", `--- ${escapeText(path)}`), paint("bold", `+++ ${escapeText(path)}`)];
  for (const [from, to] of hunksOf(differs, old.length)) {
    lines.push(paint("cyan", `@@ -${from + 1},${to - from} +${from + 1},${to - from} @@`));
    for (let at = from; at < to; ) {
      const end = runEnd(at, to, (line) => old[line] === changed[line]);
      if (old[at] === changed[at]) lines.push(...old.slice(at, end).map((line) => ` ${shown(line)}`));
      else {
        lines.push(...old.slice(at, end).map((line) => paint("red", `-${shown(line)}`)));
        lines.push(...changed.slice(at, end).map((line) => paint("green", `+${shown(line)}`)));
      }
      at = end;
    }
  }
  return lines;
}

function hunksOf(differs: readonly number[], length: number): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const at of differs) {
    const [from, to] = [Math.max(0, at - CONTEXT), Math.min(length, at + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

/** Where the lines end that are, as the first one, the same or not. */
function runEnd(from: number, to: number, isSame: (line: number) => boolean): number {
  let at = from;
  while (at < to && isSame(at) === isSame(from)) at++;
  return at;
}

/** A tab and a carriage return do no harm in a patch, and belong to the line. */
function shown(line: string): string {
  return line
    .split("\t")
    .map((part) => escapeText(part.replace(/\r$/, "")))
    .join("\t");
}
