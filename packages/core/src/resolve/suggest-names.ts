// Names near an unknown one (RES-3), from the caller's own table only. Bounded work, whatever was asked for.

import { foldAscii } from "../names/ascii-fold.js";
import type { NamingTable } from "../naming/build-naming-table.js";

const MOST_SUGGESTIONS = 5;
const MOST_WORDS = 16;
const MOST_CANDIDATES = 400;
const MOST_COMPARED = 40;
const LONGEST_QUESTION = 256;

export type Suggest = (text: string) => readonly string[];

/** Builds the word index of a table on first use. */
export function createSuggest(table: NamingTable): Suggest {
  let index: ReadonlyMap<string, readonly string[]> | undefined;
  return (text) => {
    if (text.length === 0 || text.length > LONGEST_QUESTION) return [];
    index ??= indexWords(table);
    const scores = new Map<string, number>();
    for (const word of wordsOf(text).slice(0, MOST_WORDS)) {
      for (const [match, weight] of matchingWords(word, index)) {
        const names = index.get(match) ?? [];
        // A word that everything shares tells nothing; one that few share tells most.
        const score = weight / Math.log2(2 + names.length);
        for (const name of names.slice(0, MOST_CANDIDATES)) scores.set(name, (scores.get(name) ?? 0) + score);
      }
    }
    const folded = foldAscii(text);
    return [...scores]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, MOST_COMPARED)
      .map(([name, score]) => ({
        name,
        score: score - editDistance(folded, foldAscii(name)) / folded.length,
      }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, MOST_SUGGESTIONS)
      .map(({ name }) => name);
  };
}

function indexWords(table: NamingTable): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const { name } of table.tools) {
    for (const word of new Set(wordsOf(name).slice(0, MOST_WORDS))) {
      const names = index.get(word);
      if (names === undefined) index.set(word, [name]);
      else names.push(name);
    }
  }
  return index;
}

function matchingWords(
  word: string,
  index: ReadonlyMap<string, readonly string[]>,
): readonly (readonly [string, number])[] {
  if (index.has(word)) return [[word, 2]];
  const limit = word.length > 5 ? 2 : 1;
  const near: [string, number][] = [];
  for (const known of index.keys()) {
    if (Math.abs(known.length - word.length) > limit) continue;
    const distance = editDistance(word, known);
    if (distance <= limit) near.push([known, 2 - distance * 0.7]);
    if (near.length >= MOST_WORDS) break;
  }
  return near;
}

function wordsOf(text: string): readonly string[] {
  return foldAscii(text.replace(/([a-z0-9])([A-Z])/g, "$1_$2"))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
