// Every text besides the public name that must resolve to a tool (RES-1, step `spelling`), computed from the
// tables.

import type { Catalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import { eachInSteps, eachPairInSteps, type Steps } from "../../names/steps.js";
import type { NameVariant } from "../../naming/fit/name-variants.js";
import { wishName } from "../../naming/wish/wish-name.js";
import { addClaim, type Claim, type Claims, isClaimedBy } from "./claims.js";

export interface Spellings {
  readonly names: Claims;
  /**
   * Names that the style would give to tools with others. They count where nobody has the text as a name or server form; who has
   * depends on what a caller sees, so they are looked up after those.
   */
  readonly wishes: Claims;
  /** Flat names, if no table shows any. They have no numbers, and two tools with the same one are ambiguous. */
  readonly flats: Claims;
}

/**
 * Spellings for all callers besides the forms of a server and a tool: names in other profiles, and flat names with
 * the full integration. Runs in steps, one per profile with different names.
 */
export function* spellingSteps(
  catalog: Catalog,
  variants: Iterable<NameVariant | undefined>,
  serverForms: (text: string) => Claim | undefined,
): Steps<Spellings> {
  const names: Claims = new Map();
  let flatIsShown = false;
  /** Pinned tools got another name, and renamed ones kept their old one. */
  const elsewise = new Map<Tool, NameVariant["style"]>();
  for (const variant of variants) {
    yield;
    if (variant === undefined) continue;
    const { style, named } = variant;
    flatIsShown ||= style === "flat";
    yield* eachInSteps(named, (entry) => {
      addNamed(names, entry, style);
      const { kind } = entry.why;
      if (kind === "pinned" || kind === "locked") elsewise.set(entry.tool, style);
    });
  }
  yield;
  const wishes: Claims = new Map();
  yield* eachPairInSteps(elsewise, (tool, wished) => {
    const wish = wishName(tool, wished);
    for (const text of [wish, withFullIntegration(wish, tool)])
      if (!isClaimedBy(tool, names.get(text)) && !isClaimedBy(tool, serverForms(text)))
        addClaim(wishes, text, tool);
  });
  const flats: Claims = new Map();
  if (!flatIsShown) yield* eachInSteps(catalog.tools, (tool) => addFlatWish(flats, tool));
  return { names, wishes, flats };
}

function addNamed(
  claims: Claims,
  { name, tool, why }: NameVariant["named"][number],
  style: NameVariant["style"],
): void {
  addClaim(claims, name, tool);
  addFull(claims, name, tool);
  // A wish that another tool won is not a spelling of this tool; a wish that was only cut is.
  if (why.kind !== "unrepeated" && why.kind !== "fitted" && why.kind !== "cut") return;
  // Many profiles cut the same wish.
  if (claims.get(why.wish) === tool) return;
  addClaim(claims, why.wish, tool);
  if (style === "flat") addFull(claims, why.wish, tool);
}

function addFull(claims: Claims, name: string, tool: Tool): void {
  const full = withFullIntegration(name, tool);
  if (full !== name) addClaim(claims, full, tool);
}

/** `sf_create_lead_2` → `salesforce_create_lead_2`: the number is part of the spelling and stays (RES-2). */
function withFullIntegration(name: string, tool: Tool): string {
  const { label, integration } = tool;
  return label !== integration && name.charCodeAt(label.length) === 0x5f && name.startsWith(label)
    ? integration + name.slice(label.length)
    : name;
}

function addFlatWish(claims: Claims, tool: Tool): void {
  const flat = wishName(tool, "flat");
  addClaim(claims, flat, tool);
  addFull(claims, flat, tool);
}
