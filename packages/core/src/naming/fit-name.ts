// One tool, one style, one set of rules: the name it should have if nobody else wanted it (NAME-1, NAME-2).

import type { Tool } from "../catalog/tool.js";
import { SHORT_DIGEST_LENGTH, shortDigest } from "../identity/short-digest.js";
import type { CompiledRules } from "./compile-rules.js";
import { cutWords, trimSeparators, wholeWords } from "./cut-words.js";
import { fitStart, fitText } from "./fit-text.js";
import { ownPrefixLength } from "./own-prefix.js";
import type { NamingStyle } from "./style.js";
import type { Why } from "./why.js";
import { flatten, wishName, wishParts } from "./wish-name.js";

export interface FittedName {
  readonly name: string;
  readonly why: Why;
}

/** The shortest limit under which names with a digest can still be told apart and read. */
export const LEAST_ROOM = SHORT_DIGEST_LENGTH + 4;

const WISH: Why = Object.freeze({ kind: "wish" });

/** Requires `maxLength` to be at least `LEAST_ROOM`. */
export function fitName(tool: Tool, style: NamingStyle, compiled: CompiledRules): FittedName {
  const { maxLength } = compiled.rules;
  const wish = wishName(tool, style);
  const whole = fitStart(fitText(wish, compiled), compiled);
  if (whole.length <= maxLength) {
    return { name: whole, why: whole === wish ? WISH : { kind: "fitted", wish } };
  }
  const { head, separator, body, headWithoutOwner } = wishParts(tool, style);
  const repeated = head === "" ? 0 : repeatedLength(tool);
  if (repeated > 0) {
    const kept = headWithoutOwner === "" ? body : headWithoutOwner + separator + body;
    const name = fitStart(fitText(kept, compiled), compiled);
    if (name.length <= maxLength) return { name, why: { kind: "unrepeated", wish } };
  }
  return { name: cutName(tool, { head, body, repeated }, compiled), why: { kind: "cut", wish } };
}

/** How much of the tool's own name repeats its owner, under any of the names the owner goes by. */
function repeatedLength(tool: Tool): number {
  return (
    ownPrefixLength(tool.toolName, tool.integration) ||
    ownPrefixLength(tool.toolName, tool.server) ||
    ownPrefixLength(tool.toolName, tool.label)
  );
}

/** The tool's own words first, then as much of suite and owner as there is room for, then the digest. */
function cutName(
  tool: Tool,
  wish: { readonly head: string; readonly body: string; readonly repeated: number },
  compiled: CompiledRules,
): string {
  const { rules, filler } = compiled;
  const digest = shortDigest([tool.toolbox ?? "", tool.server, tool.raw]);
  const room = rules.maxLength - filler.length - SHORT_DIGEST_LENGTH;

  // The suite ends at the last dot of the tool's name, wherever the style shows it.
  const suiteEnd = Math.max(wish.repeated, tool.toolName.lastIndexOf(".") + 1);
  const hasSuite = suiteEnd > 0 && suiteEnd < tool.toolName.length;
  const ownWords = fitText(hasSuite ? flatten(tool.toolName.slice(suiteEnd)) : wish.body, compiled);
  const before = hasSuite ? flatten(tool.toolName.slice(0, suiteEnd)) : "";
  const owner = trimSeparators(fitText(wish.repeated > 0 ? before : `${wish.head}_${before}`, compiled));

  const words = cutWords(ownWords, room);
  const context = words.length === ownWords.length ? wholeWords(owner, room - words.length - 1) : "";
  const joined = context === "" ? words : fitText(`${context}_${words}`, compiled);
  const stem = trimSeparators(fitStart(joined, compiled).slice(0, room));
  return stem + filler + digest;
}
