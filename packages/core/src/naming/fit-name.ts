// One tool, one style, one set of rules: the name it should have if nobody else wanted it (NAME-1, NAME-2).

import type { Tool } from "../catalog/tool.js";
import { SHORT_DIGEST_LENGTH } from "../identity/short-digest.js";
import { type CompiledRules, isLegalName } from "../profiles/compile-rules.js";
import { cutWords, trimSeparators, wholeWords } from "../profiles/cut-words.js";
import { fitStart, fitText } from "../profiles/fit-text.js";
import type { NamedTool } from "./assign-names.js";
import { ownPrefixLength } from "./own-prefix.js";
import type { NamingStyle } from "./style.js";
import { toolDigest } from "./tool-digest.js";
import type { Why } from "./why.js";
import { flatten, wishName, wishParts } from "./wish-name.js";
import { WISH } from "./wishes.js";

/** What the characters of a profile make of a wish; how long it may be is another matter. */
export interface Fitting {
  readonly tool: Tool;
  readonly style: NamingStyle;
  readonly compiled: CompiledRules;
  readonly wish: string;
  readonly whole: string;
  /** What is needed only when the whole is too long; made then. */
  parts: FittedParts | undefined;
}

interface FittedParts {
  readonly cut: Why;
  /** The name without its owner, where it says the owner itself. */
  readonly unrepeated: string | undefined;
  readonly owner: string;
  readonly ownWords: string;
  readonly digest: string;
  /** The cut made last: profiles mostly cut alike, and one text in memory is hashed once. */
  last: LastCut | undefined;
}

interface LastCut {
  readonly named: NamedTool;
  /** The room for which it was made, and the least that leaves the same words. */
  readonly most: number;
  readonly least: number;
  readonly filler: string;
}

/** The shortest limit under which names with a digest can still be told apart and read. */
export const LEAST_ROOM = SHORT_DIGEST_LENGTH + 4;

/** Requires `maxLength` to be at least `LEAST_ROOM`. */
export function fitName(wish: NamedTool, style: NamingStyle, compiled: CompiledRules): NamedTool {
  // Words are written in another way there, also where each character may stand.
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
 * Where only the parts of a toolbox name are separated by `__`, each part is fitted by itself (BOX-8). Rules for any
 * other style have no such separator.
 */
function fitWhole(tool: Tool, compiled: CompiledRules, wish: string): string {
  const { partSeparator } = compiled.rules;
  if (partSeparator === undefined || tool.toolbox === undefined) return fitText(wish, compiled);
  const parts = [tool.toolbox, tool.server, tool.raw].map((part) => fitText(part, compiled));
  return parts.includes("") ? fitText(wish, compiled) : parts.join(partSeparator);
}

/** The name that keeps within the limit of the rules: whole, else without what repeats, else cut. */
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
  // The suite ends at the last dot of the tool's name, wherever the style shows it.
  const suiteEnd = Math.max(repeated, tool.toolName.lastIndexOf(".") + 1);
  const hasSuite = suiteEnd > 0 && suiteEnd < tool.toolName.length;
  const before = hasSuite ? flatten(tool.toolName.slice(0, suiteEnd)) : "";
  return {
    cut: { kind: "cut", wish },
    unrepeated: repeated > 0 ? fitText(kept, compiled) : undefined,
    owner: trimSeparators(fitText(repeated > 0 ? before : `${head}_${before}`, compiled)),
    ownWords: fitText(hasSuite ? flatten(tool.toolName.slice(suiteEnd)) : body, compiled),
    digest: toolDigest(tool),
    last: undefined,
  };
}

/** How much of the tool's own name repeats its owner, under any of the names the owner goes by. */
function repeatedLength({ toolName, integration, server, label }: Tool): number {
  return (
    ownPrefixLength(toolName, integration) ||
    ownPrefixLength(toolName, server) ||
    ownPrefixLength(toolName, label)
  );
}

/** The tool's own words first, then as much of suite and owner as there is room for, then the digest. */
function cutName(tool: Tool, parts: FittedParts, compiled: CompiledRules): NamedTool {
  const { owner, ownWords, last, cut: why } = parts;
  const { rules, filler } = compiled;
  const isPlain = rules.forbidden.length === 0 && rules.minLength <= 1;
  const room = rules.maxLength - filler.length - SHORT_DIGEST_LENGTH;
  if (isPlain && last !== undefined && isSameCut(last, room, compiled)) return last.named;
  const words = cutWords(ownWords, room);
  const context = words.length === ownWords.length ? wholeWords(owner, room - words.length - 1) : "";
  const used = context === "" ? words : `${context}_${words}`;
  // Trimmed before it is given a start, so that words of nothing but separators are none under any rules.
  const joined = trimSeparators(context === "" ? words : fitText(used, compiled));
  const started = fitStart(joined, compiled);
  // Joined, because a text put together piece by piece is copied once more when it is first looked up.
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
