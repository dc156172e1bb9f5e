// Every text besides the public name that must resolve to a tool (RES-1, step `spelling`), computed from the
// tables.

import type { Catalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import { eachInSteps, eachPairInSteps, type Steps } from "../../names/steps.js";
import type { NameVariant } from "../../naming/fit/name-variants.js";
import { wishName } from "../../naming/wish/wish-name.js";
import { addClaim, type Claim, type Claims } from "./claims.js";

/**
 * Spellings for all callers besides the forms of a server and a tool: names in other profiles, and flat names with
 * the full integration. Runs in steps, one per profile with different names.
 */
export function* spellingSteps(
  catalog: Catalog,
  variants: Iterable<NameVariant | undefined>,
  serverForms: (text: string) => Claim | undefined,
): Steps<Claims> {
  const claims: Claims = new Map();
  let flatIsShown = false;
  const elsewise = new Map<Tool, NameVariant["style"]>();
  for (const variant of variants) {
    yield;
    if (variant === undefined) continue;
    const { style, named } = variant;
    flatIsShown ||= style === "flat";
    yield* eachInSteps(named, (entry) => {
      addNamed(claims, entry, style);
      const { kind } = entry.why;
      if (kind === "pinned" || kind === "locked") elsewise.set(entry.tool, style);
    });
  }
  yield;
  yield* wishSteps(claims, elsewise, serverForms);
  if (!flatIsShown) yield* eachInSteps(catalog.tools, (tool) => addFlatWish(claims, tool));
  return claims;
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

/**
 * A pinned tool gets another name, and a renamed tool keeps its old one. The name that the style would give also
 * resolves to the tool, unless another tool has it.
 */
function* wishSteps(
  claims: Claims,
  elsewise: ReadonlyMap<Tool, NameVariant["style"]>,
  serverForms: (text: string) => Claim | undefined,
): Steps<void> {
  const added: Claims = new Map();
  yield* eachPairInSteps(elsewise, (tool, style) => {
    const wish = wishName(tool, style);
    for (const text of [wish, withFullIntegration(wish, tool)])
      if (!claims.has(text) && serverForms(text) === undefined) addClaim(added, text, tool);
  });
  yield* eachPairInSteps(added, (text, claim) => claims.set(text, claim));
}

/** `sf_create_lead_2` → `salesforce_create_lead_2`: the number is part of the spelling and stays (RES-2). */
function withFullIntegration(name: string, tool: Tool): string {
  const { label, integration } = tool;
  return label !== integration && name.charCodeAt(label.length) === 0x5f && name.startsWith(label)
    ? integration + name.slice(label.length)
    : name;
}

/** If no table shows flat names, they have no numbers, and two tools with the same flat name are ambiguous. */
function addFlatWish(claims: Claims, tool: Tool): void {
  const flat = wishName(tool, "flat");
  addClaim(claims, flat, tool);
  addFull(claims, flat, tool);
}
