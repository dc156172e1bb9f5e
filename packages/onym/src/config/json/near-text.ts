// "Did you mean": the one of some known texts that a mistyped text most likely stands for.

import { quoteText } from "@onym/core";

const MAX_LENGTH = 64;

/**
 * The nearest candidate, or `undefined` when none is near enough to be meant. Case, `-` and `_` count for nothing.
 *
 * @example
 * nearestText("alais", ["alias", "tools"]); // "alias"
 */
export function nearestText(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  const plain = plainText(text);
  let best: string | undefined;
  let least = plain.length > 5 ? 2 : plain.length > 2 ? 1 : 0;
  for (const candidate of candidates) {
    const other = plainText(candidate);
    if (Math.abs(other.length - plain.length) > least) continue;
    const distance = editDistance(plain, other);
    if (distance > least || (distance === least && best !== undefined)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** The half sentence to append to a fix: ` Did you mean "alias"?`, or nothing. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const near = nearestText(text, candidates);
  return near === undefined ? "" : `Did you mean ${quoteText(near)}? `;
}

function plainText(text: string): string {
  return text.toLowerCase().replace(/[-_]/g, "");
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
