// The names of one catalog in many profiles at once. Most profiles give most tools the same name, so two tables with
// boundless names are made in full, and for each profile only what differs from one of them.

import {
  areLegalNames,
  type CompiledRules,
  compileRules,
  isLegalName,
  type NameTraits,
  traitsOf,
} from "../profiles/compile-rules.js";
import { confusedNames } from "../profiles/confused-names.js";
import { findProfile } from "../profiles/find-profile.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import type { NameRules, Profile } from "../profiles/profile.js";
import type { NamedTool } from "./assign-names.js";
import { BOUNDLESS, type NamingTable } from "./build-naming-table.js";
import { type FittedName, type Fitting, fittingOf, LEAST_ROOM, nameWithin } from "./fit-name.js";
import { namesMeet } from "./names-meet.js";

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
      const [other] = bases.values();
      if (other !== undefined && isSubset(other.alphabet, alphabet) && isUntouched(other.table)) base = other;
      else base = baseOf(input.tableOf(boundless(alphabet)));
      bases.set(alphabet, base);
      if (base !== other)
        yield other === undefined ? variantOf(base.table) : newVariant(base.table, other.table);
    }
    yield differingNames(base, profile, rules, input.as) ?? variantOf(input.tableOf(profile));
  }
}

/** Canonical names are looked up as such, so they are no spellings beside. */
function variantOf({ style, tools }: NamingTable): NameVariant {
  if (style !== "canonical") return { style, named: tools };
  return { style, named: tools.filter(({ name, tool }) => name !== tool.canonical) };
}

/** Every tool has the very name that it should have, so that more characters would change nothing. */
function isUntouched({ tools, problems }: NamingTable): boolean {
  return problems.length === 0 && tools.every(({ why }) => why.kind === "wish" || why.kind === "pinned");
}

/** What a table says that another one does not; a name that came about otherwise may come from another wish. */
function newVariant(table: NamingTable, other: NamingTable): NameVariant {
  const isNew = ({ name, tool, why }: NamedTool, index: number): boolean => {
    const before = other.tools[index];
    return before?.tool !== tool || before.name !== name || before.why.kind !== why.kind;
  };
  return variantOf({ ...table, tools: table.tools.filter(isNew) });
}

const WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/** A table that no client asks for: names of any length, with nothing required but their characters. */
interface Base {
  readonly table: NamingTable;
  readonly alphabet: string;
  readonly hasNumbers: boolean;
  /** Of all names, and of the wishes of those that have a number. */
  readonly traits: NameTraits;
  /** Positions, longest names first: the few that are too long somewhere are found without looking at the others. */
  readonly byLength: readonly number[];
  /** The name given last, by position: most profiles give what the one before gave. */
  readonly last: (string | undefined)[];
  readonly fittings: (Fitting | undefined)[];
  /** What each set of rules makes of the names, but for their length. */
  readonly kinds: Map<string, Kind>;
  /** What rules made of the names that change none of their characters, by the length that they allow. */
  readonly changes: Map<string, SharedChange | undefined>;
  /** The one made last. */
  recent: SharedChange | undefined;
  /** The change that was told last. */
  told: Change | undefined;
}

/** The names that differ from those of the base. */
interface Change {
  /** By position. */
  readonly names: ReadonlyMap<number, FittedName>;
  readonly texts: ReadonlySet<string>;
}

interface SharedChange extends Change {
  readonly traits: NameTraits;
}

interface Kind {
  /** The rules change nothing but what is too long. Most do not. */
  readonly harmless: boolean;
  readonly narrower: boolean;
  /** By position: fitted once, cut to every length. */
  readonly fittings: (Fitting | undefined)[];
}

function boundless(alphabet: string): Profile {
  const openai = findProfile("openai") as Profile;
  const maxLength = Number.POSITIVE_INFINITY;
  return {
    ...openai,
    id: `${BOUNDLESS}${alphabet.length}`,
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
    traits: traitsOf(
      table.tools.flatMap(({ name, why }) => (why.kind === "numbered" ? [name, why.wish] : name)),
    ),
    byLength: positionsByLength(table.tools),
    last: new Array(table.tools.length),
    fittings: new Array(table.tools.length),
    kinds: new Map(),
    changes: new Map(),
    recent: undefined,
    told: undefined,
  };
}

function positionsByLength(tools: readonly NamedTool[]): readonly number[] {
  return tools.map((_, index) => index).sort((a, b) => lengthAt(tools, b) - lengthAt(tools, a));
}

function lengthAt(tools: readonly NamedTool[], index: number): number {
  return tools[index]?.name.length ?? 0;
}

/** One profile for each set of rules, those of one length together. */
function distinctRules(
  input: VariantInput,
): Iterable<{ readonly profile: Profile; readonly rules: NameRules }> {
  const distinct = new Map<string, { readonly profile: Profile; readonly rules: NameRules }>();
  for (const profile of input.profiles) {
    const rules = nameRulesFor(profile, input.as);
    if (rules.maxLength < LEAST_ROOM) continue;
    const alone = input.isLocked(profile) || confusedNames(profile, input.as) !== undefined;
    const kind = JSON.stringify([rules, String(rules.maxLength), alone ? profile.id : null]);
    if (!distinct.has(kind)) distinct.set(kind, { profile, rules });
  }
  return [...distinct.values()].sort((a, b) =>
    a.rules.maxLength === b.rules.maxLength ? 0 : a.rules.maxLength < b.rules.maxLength ? 1 : -1,
  );
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

  const confuses = confusedNames(profile, as);
  const change = changeOf(base, compileRules(rules));
  if (change === undefined || rules.reserved?.some((name) => change.texts.has(name)) === true)
    return undefined;
  if (confuses !== undefined && namesMeet(confuses, table, change.names)) return undefined;
  return { style: table.style, named: newNames(base, change) };
}

/** `undefined` when a changed name meets another or a number is involved. */
function changeOf(base: Base, compiled: CompiledRules): Change | undefined {
  const { rules, filler } = compiled;
  const kind = kindOf(base, rules);
  if (kind.harmless) {
    // Most profiles with one limit make the same of all names, so it is made once, under rules that ask for nothing else.
    const length = `${rules.maxLength}${filler}`;
    if (!base.changes.has(length)) base.changes.set(length, sharedChange(base, kind, compiled));
    const shared = base.changes.get(length);
    if (shared !== undefined && leavesChange(shared, compiled)) return shared;
  }
  const fitted = fitSuspects(base, kind, compiled);
  return fitted && withTexts(base, fitted);
}

function sharedChange(base: Base, kind: Kind, { rules, filler }: CompiledRules): SharedChange | undefined {
  const plain = compileRules({ ...rules, shape: "ascii", first: "", forbidden: [], minLength: 0 });
  const names = fitSuspects(base, kind, { ...plain, filler });
  if (names === undefined) return undefined;
  // A little more or less room mostly leaves the same words.
  if (base.recent !== undefined && areSame(base.recent.names, names)) return base.recent;
  const change = withTexts(base, names);
  if (change === undefined) return undefined;
  base.recent = { ...change, traits: traitsOf([...change.texts]) };
  return base.recent;
}

/** What the rules make of every tool whose name they change; `undefined` where numbers would have to be given anew. */
function fitSuspects(base: Base, kind: Kind, compiled: CompiledRules): Map<number, FittedName> | undefined {
  const { tools, style } = base.table;
  const names = new Map<number, FittedName>();
  for (const index of suspects(base, kind, compiled)) {
    const entry = tools[index] as NamedTool;
    let fitting = kind.fittings[index];
    if (fitting === undefined) {
      fitting = fittingOf(entry.tool, style, compiled);
      kind.fittings[index] = fitting;
    }
    const fitted = nameWithin(fitting, compiled);
    if (fitted.name === entry.name) continue;
    if (base.hasNumbers) return undefined;
    names.set(index, fitted);
  }
  return names;
}

function areSame(a: ReadonlyMap<number, FittedName>, b: ReadonlyMap<number, FittedName>): boolean {
  if (a.size !== b.size) return false;
  for (const [index, { name }] of a) if (b.get(index)?.name !== name) return false;
  return true;
}

/** `undefined` where a name meets another. */
function withTexts({ table }: Base, names: ReadonlyMap<number, FittedName>): Change | undefined {
  const texts = new Set<string>();
  for (const { name } of names.values()) {
    if (texts.has(name) || table.has(name)) return undefined;
    texts.add(name);
  }
  return { names, texts };
}

/** Whether rules with the same limit would make the same names. What a digest is put behind must be long enough too. */
function leavesChange({ traits }: SharedChange, compiled: CompiledRules): boolean {
  const { minLength } = compiled.rules;
  const isLongEnough = minLength <= 1 || traits.shortest - LEAST_ROOM >= minLength;
  return isLongEnough && areLegalNames(traits, compiled);
}

function newNames(base: Base, change: Change): readonly NamedTool[] {
  if (base.told === change) return [];
  base.told = change;
  const { table, last } = base;
  const named: NamedTool[] = [];
  for (const [index, { name, why }] of change.names) {
    if (last[index] === name) continue;
    last[index] = name;
    named.push({ name, tool: (table.tools[index] as NamedTool).tool, why });
  }
  return named;
}

function kindOf(base: Base, rules: NameRules): Kind {
  const key = JSON.stringify({ ...rules, maxLength: 0 });
  const known = base.kinds.get(key);
  if (known !== undefined) return known;
  const narrower = isSubset(rules.alphabet, base.alphabet);
  // The same as asking `staysSame` of each, without looking at each for every one of many rules.
  const harmless =
    base.table.tools.every(({ why }) => mayStay(why, narrower)) &&
    areLegalNames(base.traits, compileRules(rules));
  // Rules that change no characters share what was fitted; how names start is seen to when they are cut.
  const fittings = harmless ? base.fittings : new Array(base.table.tools.length);
  const kind = { harmless, narrower, fittings };
  base.kinds.set(key, kind);
  return kind;
}

/** Positions of the tools whose names may differ under these rules. */
function suspects(base: Base, { harmless, narrower }: Kind, compiled: CompiledRules): readonly number[] {
  const { byLength, table } = base;
  if (!harmless)
    return byLength.filter((index) => !staysSame(table.tools[index] as NamedTool, compiled, narrower));
  const end = byLength.findIndex((index) => lengthAt(table.tools, index) <= compiled.rules.maxLength);
  return end < 0 ? byLength : byLength.slice(0, end);
}

/** Whether a profile surely gives a tool the name that it has in the base table. */
function staysSame({ name, why }: NamedTool, compiled: CompiledRules, narrower: boolean): boolean {
  return (
    mayStay(why, narrower) &&
    isLegalName(name, compiled) &&
    (why.kind !== "numbered" || isLegalName(why.wish, compiled))
  );
}

/** Whether nothing but illegality can give a name that came about like this another form. */
function mayStay({ kind }: NamedTool["why"], narrower: boolean): boolean {
  if (kind === "cut" || kind === "locked") return false;
  return narrower || kind === "wish" || kind === "pinned";
}

function isSubset(part: string, whole: string): boolean {
  for (const character of part) if (!whole.includes(character)) return false;
  return true;
}
