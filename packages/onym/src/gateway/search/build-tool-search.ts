// Word search over names and descriptions, for `find_tools` (GW-11): an inverted index with BM25 ranking,
// where a word in a name weighs more than one in a description.

import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { tokenizeText } from "./tokenize-text.js";

export interface SearchEntry {
  /** Unique; identifies a hit, and orders equal scores. */
  readonly key: string;
  /** All names of the tool: public name, raw name, title, server. */
  readonly names: readonly string[];
  readonly description: string;
}

interface ToolHit {
  readonly key: string;
  readonly score: number;
}

interface SearchOptions {
  readonly limit?: number;
  /** Filters out what the caller may not see or did not ask for. */
  readonly accepts?: (key: string) => boolean;
}

export type ToolSearch = (query: string, options?: SearchOptions) => readonly ToolHit[];

interface Posting {
  readonly entry: number;
  /** How often the word appears; names weigh more. */
  weight: number;
}

const DEFAULT_LIMIT = 10;
const NAME_WEIGHT = 4;
/** Text beyond this length does not help to tell a tool from others. */
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_NAME_LENGTH = 300;
const MAX_TERMS = 24;
const MAX_COMPLETIONS = 200;
const MAX_QUERY_LENGTH = 1_000;
/** BM25 parameters: term saturation and length normalization. */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.5;

/**
 * Builds the index. The order of entries does not change the results.
 * @example
 * const search = buildToolSearch([{ key: "1", names: ["readFile"], description: "Reads a file" }]);
 * search("file read"); // [{ key: "1", score: … }]
 */
export function buildToolSearch(entries: readonly SearchEntry[]): ToolSearch {
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const postings = new Map<string, Posting[]>();
  const lengths = sorted.map((entry, index) => indexEntry(entry, index, postings));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const terms = [...postings.keys()].sort();

  // The length factor of each entry, computed once.
  const dampers = Float64Array.from(lengths, (length) => {
    const share = length / Math.max(1, average);
    return SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * share);
  });

  /** A tool counts each query word once, by its best match. */
  const scoreWord = (word: string): Float64Array => {
    const best = new Float64Array(sorted.length);
    for (const [term, likeness] of expandWord(word, terms)) {
      const found = postings.get(term) ?? [];
      const rarity = Math.log(1 + (sorted.length - found.length + 0.5) / (found.length + 0.5));
      for (const { entry, weight } of found) {
        const score = (likeness * rarity * weight * (SATURATION + 1)) / (weight + (dampers[entry] ?? 0));
        if (score > (best[entry] ?? 0)) best[entry] = score;
      }
    }
    return best;
  };

  return (query, { limit = DEFAULT_LIMIT, accepts = () => true } = {}) => {
    if (query.trim() === "") return firstOf(sorted, limit, accepts);
    const words = [...new Set(tokenizeText(query.slice(0, MAX_QUERY_LENGTH)))].slice(0, MAX_TERMS);
    const scores = new Float64Array(sorted.length);
    const matched = new Uint8Array(sorted.length);
    for (const word of words) {
      scoreWord(word).forEach((score, entry) => {
        if (score === 0) return;
        scores[entry] = (scores[entry] ?? 0) + score;
        matched[entry] = (matched[entry] ?? 0) + 1;
      });
    }
    const hits = sorted.flatMap(({ key }, entry) => {
      const answered = matched[entry] ?? 0;
      if (answered === 0 || !accepts(key)) return [];
      // Tools that match the whole query rank above those that match one rare word.
      return [{ key, score: ((scores[entry] ?? 0) * answered) / words.length }];
    });
    // The sort is stable, so equal scores stay in key order.
    return hits.sort((a, b) => b.score - a.score).slice(0, Math.max(0, limit));
  };
}

function indexEntry(
  { names, description }: SearchEntry,
  entry: number,
  postings: Map<string, Posting[]>,
): number {
  let length = 0;
  const add = (token: string, weight: number): void => {
    length += weight;
    const known = postings.get(token);
    const last = known?.at(-1);
    if (known === undefined) postings.set(token, [{ entry, weight }]);
    else if (last?.entry === entry) last.weight += weight;
    else known.push({ entry, weight });
  };
  // Public and raw name repeat each other, so a repeated word counts once.
  const named = new Set(names.flatMap((name) => tokenizeText(name.slice(0, MAX_NAME_LENGTH))));
  for (const token of named) add(token, NAME_WEIGHT);
  for (const token of tokenizeText(description.slice(0, MAX_DESCRIPTION_LENGTH))) add(token, 1);
  return length;
}

/**
 * The indexed words that match a query word, with a weight: the word itself, its singular, its completions.
 */
function expandWord(word: string, terms: readonly string[]): ReadonlyMap<string, number> {
  const expanded = new Map([[word, 1]]);
  if (word.length > 3 && word.endsWith("s")) expanded.set(word.slice(0, -1), 0.9);
  if (word.length < 2 && word < "\u0080") return expanded;
  for (let at = firstNotBelow(terms, word); at < terms.length && expanded.size < MAX_COMPLETIONS; at++) {
    const term = terms[at] ?? "";
    if (!term.startsWith(word)) break;
    if (term !== word) expanded.set(term, 0.4 + (0.5 * word.length) / term.length);
  }
  return expanded;
}

function firstNotBelow(terms: readonly string[], word: string): number {
  let low = 0;
  let high = terms.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((terms[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstOf(
  sorted: readonly SearchEntry[],
  limit: number,
  accepts: (key: string) => boolean,
): readonly ToolHit[] {
  const hits: ToolHit[] = [];
  for (const { key } of sorted) {
    if (hits.length >= limit) break;
    if (accepts(key)) hits.push({ key, score: 0 });
  }
  return hits;
}

export function buildViewSearch(snapshot: GatewaySnapshot): () => ToolSearch {
  let made: ToolSearch | undefined;
  return () => {
    made ??= buildToolSearch(
      snapshot.tools.catalog.tools.map(({ key, raw, canonical, server, toolbox, definition }) => ({
        key,
        names: [raw, canonical, server, toolbox ?? "", definition.title ?? ""],
        description: definition.description ?? "",
      })),
    );
    return made;
  };
}
