// Word search over names and descriptions, for `find_tools` (GW-11): an inverted index with BM25 ranking,
// where a word in a name weighs more than one in a description. Index and query are bounded, and run in steps (SAFE-4).

import type { Steps } from "../../model/run-slices.js";
import { sortTextsSteps } from "./sort-texts.js";
import { tokenizeText } from "./tokenize-text.js";

/** What is indexed of a tool. */
export interface SearchText {
  /** The tool's server, by identity: its tools share what may be indexed of one server. */
  readonly owner: unknown;
  /** All names of the tool: public name, raw name, title, server. */
  readonly names: readonly string[];
  readonly description: string;
}

interface ToolHit<T> {
  readonly tool: T;
  readonly score: number;
}

export interface SearchOptions<T> {
  readonly limit?: number;
  /** Filters out what the caller may not see or did not ask for. */
  readonly accepts?: (tool: T) => boolean;
}

/** Best hits first; equal scores by key. */
export type ToolSearch<T> = (query: string, options?: SearchOptions<T>) => Steps<readonly ToolHit<T>[]>;

interface Posting {
  readonly entry: number;
  /** How often the word appears; names weigh more. */
  weight: number;
}

type Postings = Map<string, Posting[]>;

/** The part of the index that one server takes. */
interface ServerShare {
  tools: number;
  /** Words that no tool before had. */
  newWords: number;
}

const DEFAULT_LIMIT = 10;
const NAME_WEIGHT = 4;
/** Text beyond this length does not help to tell a tool from others. */
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_NAME_LENGTH = 300;
/** Characters of descriptions, shared by the tools of a server: from 1,000 tools on, each has less than the maximum. */
const MAX_SERVER_LENGTH = 2_000_000;
/** Ten thousand tools described in plain language have fewer. */
const MAX_SERVER_WORDS = 100_000;
const MAX_TERMS = 24;
const MAX_COMPLETIONS = 200;
const MAX_QUERY_LENGTH = 1_000;
/** Postings that one query reads. */
const MAX_POSTINGS = 100_000;
/** Postings, or tools that are only looked at, per step. */
const STEP_ENTRIES = 1_000;
/** BM25 parameters: term saturation and length normalization. */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.5;

/**
 * Builds the index. Within the limits of servers and queries, the order of tools does not change the results.
 * @example
 * const search = runAtOnce(toolSearchSteps([{ key: "1", raw: "readFile" }], ({ raw }) => ({ owner: "fs", names: [raw], description: "" })));
 * runAtOnce(search("file read")); // [{ tool: { key: "1", … }, score: … }]
 */
export function* toolSearchSteps<T extends { readonly key: string }>(
  tools: readonly T[],
  textOf: (tool: T) => SearchText,
): Steps<ToolSearch<T>> {
  const texts: SearchText[] = [];
  const shares = new Map<unknown, ServerShare>();
  for (const tool of tools) {
    const text = textOf(tool);
    const share = shares.get(text.owner) ?? { tools: 0, newWords: 0 };
    share.tools += 1;
    shares.set(text.owner, share);
    if (texts.push(text) % STEP_ENTRIES === 0) yield;
  }

  const postings: Postings = new Map();
  const lengths = new Float64Array(tools.length);
  for (const [entry, text] of texts.entries()) {
    lengths[entry] = indexText(text, { entry, share: shares.get(text.owner) as ServerShare, postings });
    yield;
  }
  const terms = yield* sortTextsSteps([...postings.keys()]);

  // The length factor of each tool, computed once.
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const dampers = lengths.map((length) => {
    const share = length / Math.max(1, average);
    return SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * share);
  });

  return function* (query, options = {}) {
    if (query.trim() === "") return yield* bestHitSteps(tools, () => 0, options);
    const words = [...new Set(tokenizeText(query.slice(0, MAX_QUERY_LENGTH)))].slice(0, MAX_TERMS);
    const best = new Float64Array(tools.length);
    const scores = new Float64Array(tools.length);
    const matched = new Uint8Array(tools.length);
    for (const matches of matchesWithinLimit(words, terms, postings)) {
      for (const entry of yield* bestScoreSteps(matches, dampers, best)) {
        scores[entry] = (scores[entry] ?? 0) + (best[entry] ?? 0);
        matched[entry] = (matched[entry] ?? 0) + 1;
        best[entry] = 0;
      }
    }
    const scoreOf = (entry: number): number | undefined => {
      const answered = matched[entry] ?? 0;
      // Tools that match the whole query rank above those that match one rare word.
      return answered === 0 ? undefined : ((scores[entry] ?? 0) * answered) / words.length;
    };
    return yield* bestHitSteps(tools, scoreOf, options);
  };
}

function indexText(
  { names, description }: SearchText,
  {
    entry,
    share,
    postings,
  }: { readonly entry: number; readonly share: ServerShare; readonly postings: Postings },
): number {
  let length = 0;
  const add = (token: string, weight: number): void => {
    const known = postings.get(token);
    if (known === undefined && share.newWords >= MAX_SERVER_WORDS) return;
    length += weight;
    const last = known?.at(-1);
    if (known === undefined) {
      postings.set(token, [{ entry, weight }]);
      share.newWords += 1;
    } else if (last?.entry === entry) last.weight += weight;
    else known.push({ entry, weight });
  };
  const maxLength = Math.min(MAX_DESCRIPTION_LENGTH, Math.floor(MAX_SERVER_LENGTH / share.tools));
  // Public and raw name repeat each other, so a repeated word counts once.
  const named = new Set(names.flatMap((name) => tokenizeText(name.slice(0, MAX_NAME_LENGTH))));
  for (const token of named) add(token, NAME_WEIGHT);
  for (const token of tokenizeText(description.slice(0, maxLength))) add(token, 1);
  return length;
}

/** An indexed word that matches a word of a query. */
interface Match {
  /** The position of the query's word. */
  readonly word: number;
  /** 1 for the word itself. */
  readonly likeness: number;
  readonly postings: readonly Posting[];
  /** How many of the postings are read. */
  readonly count: number;
}

/**
 * What a query reads, by word. Beyond the limit it reads what is most like its words and, of that, the rarest: a word of
 * most tools says little.
 */
function matchesWithinLimit(
  words: readonly string[],
  terms: readonly string[],
  postings: Postings,
): readonly (readonly Match[])[] {
  const all = words.flatMap((text, word) =>
    [...expandWord(text, terms)].flatMap(([term, likeness]): readonly Match[] => {
      const found = postings.get(term);
      return found === undefined ? [] : [{ word, likeness, postings: found, count: found.length }];
    }),
  );
  const read = words.map((): Match[] => []);
  let left = MAX_POSTINGS;
  for (const match of all.toSorted((a, b) => b.likeness - a.likeness || a.count - b.count)) {
    const count = Math.min(match.count, left);
    left -= count;
    if (count > 0) read[match.word]?.push({ ...match, count });
  }
  return read;
}

/** Sets the best score of each tool for one word: a tool counts a word once, by its best match. Returns those it set. */
function* bestScoreSteps(
  matches: readonly Match[],
  dampers: Float64Array,
  best: Float64Array,
): Steps<readonly number[]> {
  const scored: number[] = [];
  for (const { likeness, postings, count } of matches) {
    const rarity = Math.log(1 + (dampers.length - postings.length + 0.5) / (postings.length + 0.5));
    const scoreBetween = (start: number, end: number): void => {
      for (let at = start; at < end; at += 1) {
        const { entry, weight } = postings[at] as Posting;
        const score = (likeness * rarity * weight * (SATURATION + 1)) / (weight + (dampers[entry] ?? 0));
        const before = best[entry] ?? 0;
        if (before === 0) scored.push(entry);
        if (score > before) best[entry] = score;
      }
    };
    for (let start = 0; start < count; start += STEP_ENTRIES) {
      scoreBetween(start, Math.min(start + STEP_ENTRIES, count));
      yield;
    }
  }
  return scored;
}

/** The best tools of those with a score. Only those that would be among them are asked about. */
function* bestHitSteps<T extends { readonly key: string }>(
  tools: readonly T[],
  scoreOf: (entry: number) => number | undefined,
  { limit = DEFAULT_LIMIT, accepts = () => true }: SearchOptions<T>,
): Steps<readonly ToolHit<T>[]> {
  const hits: ToolHit<T>[] = [];
  if (limit < 1) return hits;
  for (const [entry, tool] of tools.entries()) {
    if (entry % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    const score = scoreOf(entry);
    if (score === undefined) continue;
    const hit = { tool, score };
    const last = hits[limit - 1];
    if ((last !== undefined && !isBetter(hit, last)) || !accepts(tool)) continue;
    const at = hits.findIndex((other) => isBetter(hit, other));
    hits.splice(at === -1 ? hits.length : at, 0, hit);
    hits.length = Math.min(hits.length, limit);
  }
  return hits;
}

function isBetter(a: ToolHit<{ readonly key: string }>, b: ToolHit<{ readonly key: string }>): boolean {
  return a.score === b.score ? a.tool.key < b.tool.key : a.score > b.score;
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
