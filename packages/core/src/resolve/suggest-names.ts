// Suggests names similar to an unknown one (RES-3), only from the caller's own table. The work is bounded for any
// input.

import { foldAscii } from "../names/ascii-fold.js";
import { compareText } from "../names/compare-text.js";
import { eachInSteps, runSteps, type Steps } from "../names/steps.js";
import { editDistance } from "./edit-distance.js";

const MAX_SUGGESTIONS = 5;
const MAX_WORDS = 16;
const MAX_CANDIDATES = 400;
const MAX_COMPARED = 40;
const MAX_NEIGHBOURS = 500;
const MAX_QUESTION_LENGTH = 256;
/**
 * Limits for one query (SAFE-4): compared characters of words and of names, and counted names. Ordinary queries
 * need less than a tenth of them.
 */
const MAX_WORD_STEPS = 16_000;
const MAX_SCORES = 2_000;
const MAX_NAME_STEPS = 64_000;

export type Suggest = (text: string) => readonly string[];

/** The words of a table, and where to look for a misspelt one. */
interface WordIndex {
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Words by first letter and length: people rarely get the first letter wrong. */
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
}

/**
 * Finds similar names among those of a table or of some of its tools. Builds the word index on first use.
 *
 * @example
 * const own = table.tools.filter(({ tool }) => tool.server === "docs");
 * createSuggest({ tools: own })("serch_docs"); // ["docs_search"]
 */
export function createSuggest(table: NamedTable): Suggest {
  return createSuggester(table).suggest;
}

/**
 * The same, with its index to be built in steps beforehand, for thousands of names (SAFE-4).
 *
 * @example
 * const { suggest, steps } = createSuggester({ tools: [{ name: "docs_search" }] });
 * const index = steps();
 * while (index.next().done !== true);
 * suggest("serch_docs"); // ["docs_search"]
 */
export function createSuggester(table: NamedTable): {
  readonly suggest: Suggest;
  readonly steps: () => Steps<void>;
} {
  let index: WordIndex | undefined;
  return {
    suggest(text) {
      if (text.length === 0 || text.length > MAX_QUESTION_LENGTH) return [];
      index ??= runSteps(wordIndexSteps(table));
      return nearestNames(text, index);
    },
    *steps() {
      if (index === undefined) index = yield* wordIndexSteps(table);
    },
  };
}

interface NamedTable {
  readonly tools: readonly { readonly name: string }[];
}

function nearestNames(text: string, index: WordIndex): readonly string[] {
  const folded = foldAscii(text);
  let steps = 0;
  const near: { readonly name: string; readonly score: number }[] = [];
  for (const [name, score] of bestOf(scoreNames(text, index))) {
    steps += folded.length * name.length;
    if (near.length > 0 && steps > MAX_NAME_STEPS) break;
    near.push({ name, score: score - editDistance(folded, foldAscii(name)) / folded.length });
  }
  return near
    .sort((a, b) => b.score - a.score || compareText(a.name, b.name))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** How much each name has in common with a text, word by word. */
function scoreNames(text: string, index: WordIndex): ReadonlyMap<string, number> {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  const steps = { left: MAX_WORD_STEPS };
  const matches = words.flatMap((word) => matchingWords(word, index, steps));
  const weights = new Map<string, number>();
  for (const [match, weight] of matches) weights.set(match, (weights.get(match) ?? 0) + weight);
  const listed = [...weights].map(([match, weight]) => ({ names: index.names.get(match) ?? [], weight }));
  const scores = new Map<string, number>();
  let left = MAX_SCORES;
  // A word that all names share says nothing. Rare words say most, and come first.
  for (const { names, weight } of listed.sort((a, b) => a.names.length - b.names.length)) {
    const score = weight / Math.log2(2 + names.length);
    const counted = names.slice(0, Math.min(MAX_CANDIDATES, left));
    for (const name of counted) scores.set(name, (scores.get(name) ?? 0) + score);
    left -= counted.length;
  }
  return scores;
}

/** The names with the highest scores, best first, without sorting all others. */
function bestOf(scores: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const best: (readonly [string, number])[] = [];
  for (const entry of scores) {
    const last = best.at(-1);
    if (best.length === MAX_COMPARED && last !== undefined && isBetter(last, entry)) continue;
    let at = best.length;
    while (at > 0 && isBetter(entry, best[at - 1] as readonly [string, number])) at--;
    best.splice(at, 0, entry);
    if (best.length > MAX_COMPARED) best.pop();
  }
  return best;
}

function isBetter(a: readonly [string, number], b: readonly [string, number]): boolean {
  return a[1] > b[1] || (a[1] === b[1] && compareText(a[0], b[0]) < 0);
}

/** Typing errors in one name; with more it counts as a different name. */
const MAX_SLIPS = 3;

/** The one name that a misspelt text probably means. */
export function createNearest(names: () => readonly string[]): (text: string) => string | undefined {
  let suggest: Suggest | undefined;
  return (text) => {
    suggest ??= createSuggest({ tools: names().map((name) => ({ name })) });
    return suggest(text).find((name) => editDistance(text, name, MAX_SLIPS) <= MAX_SLIPS);
  };
}

function* wordIndexSteps(table: NamedTable): Steps<WordIndex> {
  const names = new Map<string, string[]>();
  const neighbours = new Map<string, string[]>();
  yield* eachInSteps(table.tools, ({ name }) => {
    for (const word of new Set(wordsOf(name).slice(0, MAX_WORDS))) {
      if (!names.has(word)) add(neighbours, neighbourhood(word, word.length), word);
      add(names, word, name);
    }
  });
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

/** The word itself, otherwise words with one or two typing errors. */
function matchingWords(
  word: string,
  { names, neighbours }: WordIndex,
  steps: { left: number },
): readonly (readonly [string, number])[] {
  if (names.has(word)) return [[word, 2]];
  const limit = word.length > 5 ? 2 : 1;
  const near: [string, number][] = [];
  let compared = 0;
  for (let length = word.length - limit; length <= word.length + limit; length++) {
    for (const known of neighbours.get(neighbourhood(word, length)) ?? []) {
      steps.left -= word.length;
      if (++compared > MAX_NEIGHBOURS || near.length >= MAX_WORDS || steps.left < 0) return near;
      const distance = editDistance(word, known, limit);
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
