// Finds where a server's text mentions its own tools, so that each caller can be shown its own name. One
// pass, linear in the text; untrusted names are looked up, never compiled into patterns (SAFE-1). Below it: those names.

import type { NamedTool, NamingTable, Tool } from "@onym/core";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import { type CodeRange, findCodeRanges, type TextRange } from "./find-code-ranges.js";

/** Plain text, or the mention of a tool by its raw name. */
export type TextPart = string | { readonly raw: string };

/**
 * Finds the mentions in one text. `own` are words with another meaning there, such as the parameters of the
 * described tool: in quotes or backticks they are not mentions. Texts that are kept or sent together share a
 * budget.
 */
export type FindReferences = (
  text: string,
  own?: ReadonlySet<string>,
  budget?: MentionBudget,
) => readonly TextPart[];

/** Mentions in one text that are followed. The rest of the text is passed through unchanged (SAFE-4). */
export const MAX_TEXT_MENTIONS = 4_000;

/** The same for the texts of one server together: a mention takes more memory than its text, and its name may be longer. */
export const MAX_MENTIONS = 50_000;

/** The mentions in the texts of one server that may still be followed. */
export class MentionBudget {
  #left = MAX_MENTIONS;
  #cutTexts = 0;

  /** Texts with more mentions than were followed. */
  get cutTexts(): number {
    return this.#cutTexts;
  }

  /** Whether the next mention in a text is followed, after so many in this text. Ask no more after `false`. */
  take(inText: number): boolean {
    if (inText >= MAX_TEXT_MENTIONS || this.#left === 0) {
      this.#cutTexts += 1;
      return false;
    }
    this.#left -= 1;
    return true;
  }
}

/** Maximum length of a searched text. Longer ones are passed through unchanged (SAFE-4). */
export const MAX_SEARCHED = 50_000;

/** Characters after which the search of several texts should take a step: at most 2 ms. */
export const STEP_LENGTH = 8_192;

/** Longer names are found as words, but not between quotes or backticks. */
const MAX_QUOTED_LENGTH = 200;

const CLOSING_QUOTE: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ["“", "”"],
  ["‘", "’"],
  ["„", "“"],
  ["«", "»"],
  ["「", "」"],
]);

// Next to one of these, a word is part of something else: a URL, a variable, a path, a tag, a template.
const BEFORE_OTHER = "@#$&=%~\\<{:";
const AFTER_OTHER = "@#$&=%~\\}";
const AFTER_URL = ' \t\r\n<>"“”«»`';

/**
 * Creates the finder for the tools of one server. Only whole words count, outside code and URLs. A name that
 * is an ordinary word must be quoted or stand beside the word tool. In code, only a span that is a name, or a
 * call of one, counts.
 * @example
 * createReferenceFinder(["read_file"])("Call read_file first."); // ["Call ", { raw: "read_file" }, " first."]
 */
export function createReferenceFinder(rawNames: readonly string[]): FindReferences {
  return runAtOnce(referenceFinderSteps(rawNames));
}

/** Names per step. */
const STEP_NAMES = 200;

/** The same in steps, for many names (SAFE-4). */
export function* referenceFinderSteps(rawNames: readonly string[]): Steps<FindReferences> {
  const known = new Map<string, KnownName>();
  for (const [index, name] of rawNames.entries()) {
    if (index % STEP_NAMES === STEP_NAMES - 1) yield;
    if (name !== "") known.set(name, { kind: nameKindOf(name), mention: { raw: name } });
  }
  return known.size === 0
    ? (text) => (text === "" ? [] : [text])
    : (text, own = NOTHING, budget = new MentionBudget()) =>
        text.length > MAX_SEARCHED ? [text] : findReferences(text, { known, own }, budget);
}

const NOTHING: ReadonlySet<string> = new Set();

interface KnownName {
  readonly kind: NameKind;
  /** Shared by all mentions. */
  readonly mention: TextPart;
}

interface Names {
  readonly known: ReadonlyMap<string, KnownName>;
  readonly own: ReadonlySet<string>;
}

function findReferences(text: string, names: Names, budget: MentionBudget): readonly TextPart[] {
  const { known } = names;
  const parts: TextPart[] = [];
  const code = findCodeRanges(text);
  const closers = createCloserSearch(text);
  let codeIndex = 0;
  let shown = 0;
  let mentions = 0;
  let isCut = false;
  const refer = ({ start, end }: TextRange): void => {
    const name = known.get(text.slice(start, end));
    if (name === undefined) return;
    isCut = !budget.take(mentions);
    if (isCut) return;
    if (start > shown) parts.push(text.slice(shown, start));
    parts.push(name.mention);
    mentions += 1;
    shown = end;
  };
  for (let at = 0; at < text.length && !isCut; ) {
    const range = code[codeIndex];
    if (range !== undefined && at >= range.start) {
      // A quote may have reached into the span.
      const named =
        range.content === undefined || at > range.start ? undefined : readSpan(text, range, names);
      if (named !== undefined) refer(named);
      at = Math.max(at, range.end);
      codeIndex++;
      continue;
    }
    const end = endOfWord(text, at);
    if (end === at) {
      const quoted = readQuoted(text, at, closers, names);
      if (quoted === undefined) at++;
      else {
        if (!names.own.has(text.slice(quoted.start, quoted.end))) refer(quoted);
        at = quoted.end;
      }
      continue;
    }
    if (text.startsWith("://", end)) {
      at = endOfUrl(text, end);
      continue;
    }
    const word = trimWord(text, at, end);
    const kind = known.get(text.slice(word.start, word.end))?.kind;
    if (kind === "identifier" ? standsAlone(text, word) : kind === "word" && isBesideTool(text, word))
      refer(word);
    at = end;
  }
  if (shown < text.length) parts.push(text.slice(shown));
  return parts;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  for (let length = wordLengthAt(text, at); length > 0; length = wordLengthAt(text, at)) at += length;
  return at;
}

function endOfUrl(text: string, start: number): number {
  let at = start;
  while (at < text.length && !AFTER_URL.includes(text.charAt(at))) at++;
  return at;
}

/** Trailing full stops end a sentence. */
function trimWord(text: string, start: number, end: number): TextRange {
  let last = end;
  while (last > start && text[last - 1] === ".") last--;
  return { start, end: last };
}

function standsAlone(text: string, { start, end }: TextRange): boolean {
  const before = text.charAt(start - 1);
  const after = text.charAt(end);
  if (before !== "" && BEFORE_OTHER.includes(before)) return false;
  if (after !== "" && AFTER_OTHER.includes(after)) return false;
  // `read_file: reads` is a list, `read_file:x` a URL; `**read_file**` is bold, `read_file*` a glob.
  if (after === ":") return wordLengthAt(text, end + 1) === 0;
  return after !== "*" || before === "*";
}

function isBesideTool(text: string, word: TextRange): boolean {
  if (!standsAlone(text, word)) return false;
  const { start, end } = word;
  if (isGap(text[end]) && isToolWord(text, end + 1, ["tool", "tools"])) return true;
  return isGap(text[start - 1]) && isToolWord(text, start - 5, ["tool"]);
}

function isGap(character: string | undefined): boolean {
  return character === " " || character === "\n";
}

function isToolWord(text: string, start: number, words: readonly string[]): boolean {
  if (start < 0 || wordBefore(text, start)) return false;
  const { end } = trimWord(text, start, endOfWord(text, start));
  return end - start <= 5 && words.includes(text.slice(start, end).toLowerCase());
}

function wordBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const isLow = at > 1 && text.charCodeAt(at - 1) >= 0xdc00 && text.charCodeAt(at - 1) <= 0xdfff;
  return wordLengthAt(text, at - (isLow ? 2 : 1)) > 0;
}

/** The name between the quote at this offset and its closing quote. */
function readQuoted(
  text: string,
  at: number,
  closers: (quote: string, from: number) => number,
  { known }: Names,
): TextRange | undefined {
  const quote = CLOSING_QUOTE.get(text.charAt(at));
  if (quote === undefined || wordBefore(text, at)) return undefined;
  const start = at + 1;
  const end = closers(quote, start);
  if (end < 0 || end - start > MAX_QUOTED_LENGTH) return undefined;
  const kind = known.get(text.slice(start, end))?.kind;
  const { start: after, end: afterEnd } = trimWord(text, end + 1, endOfWord(text, end + 1));
  if (kind === undefined || afterEnd > after) return undefined;
  // `{"query": 1}` names an argument, even if a tool has the same name.
  const isKey = (quote === '"' || quote === "'") && text[end + 1] === ":";
  return isKey && kind !== "identifier" ? undefined : { start, end };
}

/** The name that a backtick span consists of or calls: `read_file`, `read_file(path)`. */
function readSpan(
  text: string,
  { content, end: after }: CodeRange,
  { known, own }: Names,
): TextRange | undefined {
  let { start, end } = content ?? { start: after, end: after };
  while (start < end && isGap(text[start])) start++;
  while (end > start && isGap(text[end - 1])) end--;
  const word = endOfWord(text.slice(start, Math.min(end, start + MAX_QUOTED_LENGTH + 1)), 0);
  if (text[start + word] === "(" && text[end - 1] === ")") end = start + word;
  if (end - start > MAX_QUOTED_LENGTH) return undefined;
  const name = text.slice(start, end);
  const kind = known.get(name)?.kind;
  if (kind === undefined || own.has(name)) return undefined;
  return text[after] === ":" && kind !== "identifier" ? undefined : { start, end };
}

/** The position of the next closing quote. Offsets must ascend, so that no text is searched twice. */
function createCloserSearch(text: string): (quote: string, from: number) => number {
  const found = new Map<string, number>();
  return (quote, from) => {
    const known = found.get(quote);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const next = text.indexOf(quote, from);
    found.set(quote, next);
    return next;
  };
}

// How a raw name can be recognized in running text: by itself, only beside a hint, or only in quotes.

/**
 * `identifier`: unlikely by chance (`read_file`). `word`: an ordinary word (`search`), a reference only when
 * quoted or beside the word tool. `odd`: has spaces or other characters, so only quotes show where it ends.
 */
type NameKind = "identifier" | "word" | "odd";

export function nameKindOf(name: string): NameKind {
  if (!isWholeWord(name)) return "odd";
  const hasLetter = /\p{L}/u.test(name);
  // SQL and 2024 are ordinary words too, like search.
  const isMarked = /[_\-./\p{N}]/u.test(name) || (/.\p{Lu}/u.test(name) && /\p{Ll}/u.test(name));
  return hasLetter && isMarked ? "identifier" : "word";
}

/** Only word characters, with ends that cannot be mistaken for punctuation. */
function isWholeWord(name: string): boolean {
  if (name === "" || /^[-./]|[-./]$/.test(name)) return false;
  for (let at = 0; at < name.length; ) {
    const length = wordLengthAt(name, at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

// Scripts without spaces: `使用read_file工具` mentions read_file, so their letters end a name.
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;

/** The number of UTF-16 units of the character at this offset if it can continue a name; 0 if not. */
function wordLengthAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) return isAsciiWord(code) ? 1 : 0;
  if (Number.isNaN(code)) return 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return WORD.test(character) && !SPACELESS.test(character) ? character.length : 0;
}

function isAsciiWord(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  // - . / 0…9 and _
  return isLetter || (code >= 0x2d && code <= 0x39) || code === 0x5f;
}

/**
 * @example
 * renderReferences(["Call ", { raw: "read_file" }], () => "fs_read_file"); // "Call fs_read_file"
 */
export function renderReferences(parts: readonly TextPart[], nameOf: (raw: string) => string): string {
  return parts.map((part) => (typeof part === "string" ? part : nameOf(part.raw))).join("");
}

/** Maps a server's name of its own tool to the name in a table. */
export type NameFinder = (
  owner: { readonly server: string; readonly toolbox: string | undefined },
  raw: string,
) => string;

/** By toolbox, server and raw name. */
type NamesByToolbox = Map<string | undefined, Map<string, Map<string, NamedTool>>>;

const indexes = new WeakMap<NamingTable, NamesByToolbox>();

/**
 * Few texts mention tools, so the index of a table is built on first use. A tool that the caller does not see keeps its
 * raw name, as any other word does: another one would tell that it exists (POL-1).
 */
export function createNameFinder(
  table: NamingTable,
  visibility: { readonly sees: (tool: Tool) => boolean } | undefined,
): NameFinder {
  return ({ toolbox, server }, raw) => {
    const names = indexes.get(table) ?? collectNames(table);
    indexes.set(table, names);
    const found = names.get(toolbox)?.get(server)?.get(raw);
    return found === undefined || visibility?.sees(found.tool) === false ? raw : found.name;
  };
}

function collectNames({ tools }: NamingTable): NamesByToolbox {
  const names: NamesByToolbox = new Map();
  for (const named of tools) {
    const { tool } = named;
    const servers = names.get(tool.toolbox) ?? new Map<string, Map<string, NamedTool>>();
    names.set(tool.toolbox, servers);
    const raws = servers.get(tool.server) ?? new Map<string, NamedTool>();
    servers.set(tool.server, raws);
    raws.set(tool.raw, named);
  }
  return names;
}
