// Sorts many texts by code point in steps (SAFE-4): runs of them at once, then merged pair by pair.

import type { Steps } from "../../model/run-slices.js";

/** Texts per step. */
const STEP_TEXTS = 1_000;

export function* sortTextsSteps(texts: readonly string[]): Steps<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let start = 0; start < texts.length; start += STEP_TEXTS) {
    runs.push(texts.slice(start, start + STEP_TEXTS).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeSteps(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps(left: readonly string[], right: readonly string[]): Steps<readonly string[]> {
  if (right.length === 0) return left;
  const merged: string[] = [];
  const at = { left: 0, right: 0 };
  const takeNext = (): string => {
    const [first, second] = [left[at.left], right[at.right]];
    if (first !== undefined && (second === undefined || first <= second)) {
      at.left += 1;
      return first;
    }
    at.right += 1;
    return second as string;
  };
  const end = left.length + right.length;
  while (merged.length < end) {
    const stop = Math.min(end, merged.length + STEP_TEXTS);
    while (merged.length < stop) merged.push(takeNext());
    yield;
  }
  return merged;
}
