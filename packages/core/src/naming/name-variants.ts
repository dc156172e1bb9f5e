// The names of one catalog in many profiles at once. Most profiles give most tools the same name, so two tables with
// boundless names are made in full, and for each profile only what differs from one of them.

import { confusedNames } from "../profiles/confused-names.js";
import { findProfile } from "../profiles/find-profile.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import type { NameRules, Profile } from "../profiles/profile.js";
import type { NamedTool } from "./assign-names.js";
import type { NamingTable } from "./build-naming-table.js";
import { type CompiledRules, compileRules, isLegalName } from "./compile-rules.js";
import { type Fitting, fittingOf, LEAST_ROOM, nameWithin } from "./fit-name.js";

/** Names that some profile gives; `named` holds at least every name that no earlier variant had. */
export interface NameVariant {
  readonly style: NamingTable["style"];
  readonly named: readonly NamedTool[];
}

export interface VariantInput {
  readonly profiles: readonly Profile[];
  readonly as: string;
  readonly tableOf: (profile: Profile) => NamingTable;
  /** Profiles whose names a lock remembers: theirs are their own. */
  readonly isLocked: (profile: Profile) => boolean;
}

export function* nameVariants(input: VariantInput): Iterable<NameVariant> {
  const bases = new Map<string, Base>();
  for (const { profile, rules } of distinctRules(input)) {
    if (rules.shape === "camel" || rules.shape === "any" || input.isLocked(profile)) {
      yield variantOf(input.tableOf(profile));
      continue;
    }
    // Names with and without hyphens differ too often to be told from one table.
    const alphabet = rules.alphabet.includes("-") ? `${WORDS}-` : WORDS;
    let base = bases.get(alphabet);
    if (base === undefined) {
      base = baseOf(input.tableOf(boundless(alphabet)));
      bases.set(alphabet, base);
      yield variantOf(base.table);
    }
    yield differingNames(base, profile, rules, input.as) ?? variantOf(input.tableOf(profile));
  }
}

function variantOf({ style, tools }: NamingTable): NameVariant {
  return { style, named: tools };
}

const WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/** A table that no client asks for: names of any length, with nothing required but their characters. */
interface Base {
  readonly table: NamingTable;
  readonly alphabet: string;
  readonly hasNumbers: boolean;
  /** Longest names first, so that the few that are too long somewhere are found without looking at the others. */
  readonly byLength: readonly NamedTool[];
  /** What each set of rules makes of the names, but for their length. */
  readonly kinds: Map<string, Kind>;
}

interface Kind {
  /** The rules change nothing but what is too long. Most do not. */
  readonly harmless: boolean;
  readonly narrower: boolean;
  /** Fitted once, cut to every length. */
  readonly fittings: Map<NamedTool, Fitting>;
  /** The name that this kind of rules gave last. */
  readonly last: Map<NamedTool, string>;
}

function boundless(alphabet: string): Profile {
  const openai = findProfile("openai") as Profile;
  const maxLength = Number.POSITIVE_INFINITY;
  return {
    ...openai,
    id: `boundless-${alphabet.length}`,
    maxTools: undefined,
    rules: { shape: "ascii", alphabet, first: "", forbidden: [], minLength: 0, maxLength },
    client: { ...openai.client, sentMaxLength: maxLength },
  };
}

function baseOf(table: NamingTable): Base {
  return {
    table,
    alphabet: table.profile.rules.alphabet,
    hasNumbers: table.tools.some(({ why }) => why.kind === "numbered"),
    byLength: [...table.tools].sort((a, b) => b.name.length - a.name.length),
    kinds: new Map(),
  };
}

/** One profile for each set of rules. */
function distinctRules(
  input: VariantInput,
): Iterable<{ readonly profile: Profile; readonly rules: NameRules }> {
  const distinct = new Map<string, { readonly profile: Profile; readonly rules: NameRules }>();
  for (const profile of input.profiles) {
    const rules = nameRulesFor(profile, input.as);
    // Unrestricted profiles show canonical names, which are looked up as such.
    if (rules.maxLength < LEAST_ROOM || (profile.unrestricted && !input.isLocked(profile))) continue;
    const alone = input.isLocked(profile) || confusedNames(profile, input.as) !== undefined;
    const kind = JSON.stringify([rules, String(rules.maxLength), alone ? profile.id : null]);
    if (!distinct.has(kind)) distinct.set(kind, { profile, rules });
  }
  return distinct.values();
}

/**
 * What changes from a table to another profile; `undefined` when a changed name meets another or a number is involved,
 * because then only assigning all names anew tells who gets what.
 */
function differingNames(base: Base, profile: Profile, rules: NameRules, as: string): NameVariant | undefined {
  const { table } = base;
  // A pin that only some profiles can keep moves names that the rules alone would not.
  if (table.problems.some(({ code }) => code === "pin-illegal")) return undefined;
  if (rules.reserved?.some((name) => table.has(name)) === true) return undefined;

  const compiled = compileRules(rules);
  const kind = kindOf(base, rules);
  const confuses = confusedNames(profile, as);
  const named: NamedTool[] = [];
  const changed = new Map<NamedTool, string>();
  const fresh = new Set<string>(rules.reserved);
  for (const entry of suspects(base, kind, compiled)) {
    let fitting = kind.fittings.get(entry);
    if (fitting === undefined) {
      fitting = fittingOf(entry.tool, table.style, compiled);
      kind.fittings.set(entry, fitting);
    }
    const { name, why } = nameWithin(fitting, compiled);
    if (name === entry.name) continue;
    if (base.hasNumbers || fresh.has(name) || table.has(name)) return undefined;
    fresh.add(name);
    if (confuses !== undefined) changed.set(entry, name);
    if (kind.last.get(entry) === name) continue;
    kind.last.set(entry, name);
    named.push({ name, tool: entry.tool, why });
  }
  if (confuses !== undefined && meets(confuses, table.tools, changed)) return undefined;
  return { style: table.style, named };
}

function kindOf(base: Base, rules: NameRules): Kind {
  const key = JSON.stringify({ ...rules, maxLength: 0 });
  const known = base.kinds.get(key);
  if (known !== undefined) return known;
  const narrower = isSubset(rules.alphabet, base.alphabet);
  const boundless = compileRules({ ...rules, maxLength: Number.POSITIVE_INFINITY });
  const harmless = base.table.tools.every((entry) => staysSame(entry, boundless, narrower));
  const kind = { harmless, narrower, fittings: new Map(), last: new Map() };
  base.kinds.set(key, kind);
  return kind;
}

/** The tools whose names may differ under these rules. */
function suspects(base: Base, { harmless, narrower }: Kind, compiled: CompiledRules): readonly NamedTool[] {
  if (harmless) return longerThan(base.byLength, compiled.rules.maxLength);
  return base.table.tools.filter((entry) => !staysSame(entry, compiled, narrower));
}

function longerThan(byLength: readonly NamedTool[], maxLength: number): readonly NamedTool[] {
  const end = byLength.findIndex(({ name }) => name.length <= maxLength);
  return end < 0 ? byLength : byLength.slice(0, end);
}

/** Whether a client that compares names loosely would take two of them for one. */
function meets(
  sameAs: (name: string) => string,
  tools: readonly NamedTool[],
  changed: ReadonlyMap<NamedTool, string>,
): boolean {
  const texts = new Set<string>();
  for (const entry of tools) {
    const text = sameAs(changed.get(entry) ?? entry.name);
    if (texts.has(text)) return true;
    texts.add(text);
  }
  return false;
}

/** Whether a profile surely gives a tool the name that it has in the base table. */
function staysSame({ name, why }: NamedTool, compiled: CompiledRules, narrower: boolean): boolean {
  if (!isLegalName(name, compiled)) return false;
  switch (why.kind) {
    case "wish":
    case "pinned":
      return true;
    case "fitted":
    case "unrepeated":
      return narrower;
    case "numbered":
      return narrower && isLegalName(why.wish, compiled);
    case "cut":
    case "locked":
      return false;
  }
}

function isSubset(part: string, whole: string): boolean {
  for (const character of part) if (!whole.includes(character)) return false;
  return true;
}
