// Names near an unknown one (RES-3), from the caller's own table only. Bounded work, whatever was asked for.

import { foldAscii } from "../names/ascii-fold.js";
import { compareText } from "../names/compare-text.js";

const MOST_SUGGESTIONS = 5;
const MOST_WORDS = 16;
const MOST_CANDIDATES = 400;
const MOST_COMPARED = 40;
const MOST_NEIGHBOURS = 500;
const LONGEST_QUESTION = 256;

export type Suggest = (text: string) => readonly string[];

/** The words of a table, and where a misspelt one may be looked for. */
interface WordIndex {
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Words by first letter and length: people rarely get the first letter wrong. */
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
}

/**
 * Finds names near a text, among those of a table or of some of its tools. Builds their word index on first use.
 *
 * @example
 * const own = table.tools.filter(({ tool }) => tool.server === "docs");
 * createSuggest({ tools: own })("serch_docs"); // ["docs_search"]
 */
export function createSuggest(table: { readonly tools: readonly { readonly name: string }[] }): Suggest {
  let index: WordIndex | undefined;
  return (text) => {
    if (text.length === 0 || text.length > LONGEST_QUESTION) return [];
    index ??= indexWords(table);
    const scores = new Map<string, number>();
    for (const word of wordsOf(text).slice(0, MOST_WORDS)) {
      for (const [match, weight] of matchingWords(word, index)) {
        const names = index.names.get(match) ?? [];
        // A word that everything shares tells nothing; one that few share tells most.
        const score = weight / Math.log2(2 + names.length);
        for (const name of names.slice(0, MOST_CANDIDATES)) scores.set(name, (scores.get(name) ?? 0) + score);
      }
    }
    const folded = foldAscii(text);
    return [...scores]
      .sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
      .slice(0, MOST_COMPARED)
      .map(([name, score]) => ({
        name,
        score: score - editDistance(folded, foldAscii(name)) / folded.length,
      }))
      .sort((a, b) => b.score - a.score || compareText(a.name, b.name))
      .slice(0, MOST_SUGGESTIONS)
      .map(({ name }) => name);
  };
}

/** Slips of the finger in one name; more is another name. */
const MOST_SLIPS = 3;

/** The one name that somebody may have meant who misspelt it. */
export function createNearest(names: () => readonly string[]): (text: string) => string | undefined {
  let suggest: Suggest | undefined;
  return (text) => {
    suggest ??= createSuggest({ tools: names().map((name) => ({ name })) });
    return suggest(text).find((name) => editDistance(text, name) <= MOST_SLIPS);
  };
}

function indexWords(table: { readonly tools: readonly { readonly name: string }[] }): WordIndex {
  const names = new Map<string, string[]>();
  const neighbours = new Map<string, string[]>();
  for (const { name } of table.tools) {
    for (const word of new Set(wordsOf(name).slice(0, MOST_WORDS))) {
      if (!names.has(word)) add(neighbours, neighbourhood(word, word.length), word);
      add(names, word, name);
    }
  }
  return { names, neighbours };
}

function add(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function neighbourhood(word: string, length: number): string {
  return `${word.charAt(0)}${length}`;
}

/** The word itself, else words one or two slips of the finger away. */
function matchingWords(
  word: string,
  { names, neighbours }: WordIndex,
): readonly (readonly [string, number])[] {
  if (names.has(word)) return [[word, 2]];
  const limit = word.length > 5 ? 2 : 1;
  const near: [string, number][] = [];
  let compared = 0;
  for (let length = word.length - limit; length <= word.length + limit; length++) {
    for (const known of neighbours.get(neighbourhood(word, length)) ?? []) {
      if (++compared > MOST_NEIGHBOURS || near.length >= MOST_WORDS) return near;
      const distance = editDistance(word, known);
      if (distance <= limit) near.push([known, 2 - distance * 0.7]);
    }
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
