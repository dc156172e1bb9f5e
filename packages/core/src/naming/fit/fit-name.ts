// The name that one tool would have without competitors, in one style under one set of rules (NAME-1, NAME-2).

import type { Tool } from "../../catalog/tool.js";
import { SHORT_DIGEST_LENGTH } from "../../identity/short-digest.js";
import { type CompiledRules, isLegalName } from "../../profiles/fit/compile-rules.js";
import { cutWords, trimSeparators, wholeWords } from "../../profiles/fit/cut-words.js";
import { fitStart, fitText } from "../../profiles/fit/fit-text.js";
import type { NamedTool } from "../assign/assign-names.js";
import type { NamingStyle } from "../wish/style.js";
import type { Why } from "../wish/why.js";
import { flatten, WISH, wishName, wishParts } from "../wish/wish-name.js";
import { toolDigest } from "./tool-digest.js";

/** A wish with the profile's characters, before its length is limited. */
export interface Fitting {
  readonly tool: Tool;
  readonly style: NamingStyle;
  readonly compiled: CompiledRules;
  readonly wish: string;
  readonly whole: string;
  /** Computed only if the whole name is too long. */
  parts: FittedParts | undefined;
}

interface FittedParts {
  readonly cut: Why;
  /** The name without its owner, if the tool's own name repeats the owner. */
  readonly unrepeated: string | undefined;
  readonly owner: string;
  readonly ownWords: string;
  readonly digest: string;
  /** The latest cut. Profiles usually cut alike, and sharing one string means that it is hashed once. */
  last: LastCut | undefined;
}

interface LastCut {
  readonly named: NamedTool;
  /** The limit for which it was made, and the smallest limit that keeps the same words. */
  readonly most: number;
  readonly least: number;
  readonly filler: string;
}

/** The smallest limit under which names with a digest are still distinct and readable. */
export const MIN_ROOM = SHORT_DIGEST_LENGTH + 4;

/** Requires `maxLength` to be at least `MIN_ROOM`. */
export function fitName(wish: NamedTool, style: NamingStyle, compiled: CompiledRules): NamedTool {
  // In camel case the words are written differently even if every character is legal.
  const isFree = compiled.rules.shape !== "camel" && isLegalName(wish.name, compiled);
  return isFree ? wish : nameWithin(fittingOf(wish.tool, style, compiled, wish.name), compiled);
}

export function fittingOf(
  tool: Tool,
  style: NamingStyle,
  compiled: CompiledRules,
  wish = wishName(tool, style),
): Fitting {
  return { tool, style, compiled, wish, whole: fitWhole(tool, compiled, wish), parts: undefined };
}

/**
 * If only the parts of a toolbox name are separated by `__`, each part is fitted separately (BOX-8). Rules for
 * other styles have no part separator.
 */
function fitWhole(tool: Tool, compiled: CompiledRules, wish: string): string {
  const { partSeparator } = compiled.rules;
  if (partSeparator === undefined || tool.toolbox === undefined) return fitText(wish, compiled);
  const parts = [tool.toolbox, tool.server, tool.raw].map((part) => fitText(part, compiled));
  return parts.includes("") ? fitText(wish, compiled) : parts.join(partSeparator);
}

/** The name within the rules' limit: whole, otherwise without repetition, otherwise cut. */
export function nameWithin(fitting: Fitting, compiled: CompiledRules): NamedTool {
  const { maxLength } = compiled.rules;
  const { tool, wish } = fitting;
  const whole = fitStart(fitting.whole, compiled);
  if (whole.length <= maxLength) {
    return { name: whole, tool, why: whole === wish ? WISH : { kind: "fitted", wish } };
  }
  const parts = fitting.parts ?? fitParts(fitting);
  fitting.parts = parts;
  if (parts.unrepeated !== undefined) {
    const name = fitStart(parts.unrepeated, compiled);
    if (name.length <= maxLength) return { name, tool, why: { kind: "unrepeated", wish } };
  }
  return cutName(tool, parts, compiled);
}

function fitParts({ tool, style, wish, compiled }: Fitting): FittedParts {
  const { head, separator, body, headWithoutOwner } = wishParts(tool, style);
  const repeated = head === "" ? 0 : repeatedLength(tool);
  const kept = headWithoutOwner === "" ? body : headWithoutOwner + separator + body;
  // The suite ends at the last dot of the tool's name, in every style.
  const suiteEnd = Math.max(repeated, tool.toolName.lastIndexOf(".") + 1);
  const hasSuite = suiteEnd > 0 && suiteEnd < tool.toolName.length;
  const before = hasSuite ? flatten(tool.toolName.slice(0, suiteEnd)) : "";
  return {
    cut: { kind: "cut", wish },
    unrepeated: repeated > 0 ? fitText(kept, compiled) : undefined,
    owner: trimSeparators(fitText(head === "" || repeated > 0 ? before : `${head}_${before}`, compiled)),
    ownWords: fitText(hasSuite ? flatten(tool.toolName.slice(suiteEnd)) : body, compiled),
    digest: toolDigest(tool),
    last: undefined,
  };
}

/** How many characters of the tool's own name repeat its owner, under any of the owner's names. */
function repeatedLength({ toolName, integration, server, label }: Tool): number {
  return (
    ownPrefixLength(toolName, integration) ||
    ownPrefixLength(toolName, server) ||
    ownPrefixLength(toolName, label)
  );
}

/** The tool's own words first, then as much of suite and owner as fits, then the digest. */
function cutName(tool: Tool, parts: FittedParts, compiled: CompiledRules): NamedTool {
  const { owner, ownWords, last, cut: why } = parts;
  const { rules, filler } = compiled;
  const isPlain = rules.forbidden.length === 0 && rules.minLength <= 1;
  const room = rules.maxLength - filler.length - SHORT_DIGEST_LENGTH;
  if (isPlain && last !== undefined && isSameCut(last, room, compiled)) return last.named;
  const words = cutWords(ownWords, room);
  const context = words.length === ownWords.length ? wholeWords(owner, room - words.length - 1) : "";
  const used = context === "" ? words : `${context}_${words}`;
  // Trim before fitting the start, so that words of separators only count as empty under any rules.
  const joined = trimSeparators(context === "" ? words : fitText(used, compiled));
  const started = fitStart(joined, compiled);
  // `join` builds a flat string. A concatenated string is copied again when it is first used as a map key.
  const name = [trimSeparators(started.slice(0, room)), parts.digest].join(filler);
  const named: NamedTool = { name, tool, why };
  if (isPlain && started === joined) parts.last = { named, most: room, least: used.length, filler };
  return named;
}

function isSameCut(last: LastCut, room: number, { filler, first }: CompiledRules): boolean {
  return (
    last.least <= room &&
    room <= last.most &&
    last.filler === filler &&
    first[last.named.name.charCodeAt(0)] === 1
  );
}

// Whether a raw name already starts with its own integration, ignoring case and separators (NAME-2).

const SEPARATOR = 1;
const LOWER = 2;
const UPPER = 3;
const DIGIT = 4;

/**
 * How many characters of `toolName` repeat `owner`, including the separators after them. 0 if it does not repeat
 * it, or if nothing would be left.
 *
 * @example
 * ownPrefixLength("GitHub-create_issue", "github"); // 7
 * ownPrefixLength("github_search", "git");          // 0, because "git" ends inside a word
 */
export function ownPrefixLength(toolName: string, owner: string): number {
  let at = 0;
  for (let i = 0; i < owner.length; i++) {
    const wanted = owner.charCodeAt(i);
    if (kindOf(wanted) === SEPARATOR) continue;
    at = skipSeparators(toolName, at);
    if (lower(toolName.charCodeAt(at)) !== lower(wanted)) return 0;
    at++;
  }
  if (at === 0 || !endsWord(toolName, at)) return 0;
  at = skipSeparators(toolName, at);
  return at < toolName.length ? at : 0;
}

function skipSeparators(text: string, start: number): number {
  let at = start;
  while (kindOf(text.charCodeAt(at)) === SEPARATOR) at++;
  return at;
}

function endsWord(text: string, at: number): boolean {
  const next = kindOf(text.charCodeAt(at));
  return next === SEPARATOR || (next === UPPER && kindOf(text.charCodeAt(at - 1)) !== UPPER);
}

/** Past the end of a text the unit is `NaN`, which is not a separator. */
function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return LOWER;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  return unit < 0x80 ? SEPARATOR : LOWER;
}

/** Lower-cases ASCII letters and keeps separators, digits and the end of text distinct. */
function lower(unit: number): number {
  return unit < 0x80 ? unit | 0x20 : unit;
}
