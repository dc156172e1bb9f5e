// What the rules of many profiles make of one table's names: only what differs, and made once where rules agree.

import { SHORT_DIGEST_LENGTH } from "../identity/short-digest.js";
import {
  areLegalNames,
  type CompiledRules,
  compileRules,
  isLegalName,
  type NameTraits,
  traitsOf,
} from "../profiles/compile-rules.js";
import type { NameRules } from "../profiles/profile.js";
import type { NamedTool } from "./assign-names.js";
import type { NamingTable } from "./build-naming-table.js";
import { type Fitting, fittingOf, nameWithin } from "./fit-name.js";

/** A table that no client asks for: names of any length, with nothing required but their characters. */
export interface Base {
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
  /** Every text that a change ever had, and for whom: what one tool alone was given meets nothing. */
  readonly owners: Map<string, number>;
  /** The change that was told last. */
  told: Change | undefined;
}

/** The names that differ from those of the base, longest first there. */
export interface Change {
  /** Positions of the tools. */
  readonly positions: readonly number[];
  /** What each of them is named instead. */
  readonly names: readonly NamedTool[];
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

export function baseOf(table: NamingTable, alphabet: string): Base {
  return {
    table,
    alphabet,
    hasNumbers: table.tools.some(({ why }) => why.kind === "numbered"),
    traits: traitsOf(
      table.tools.flatMap(({ name, why }) => (why.kind === "numbered" ? [name, why.wish] : name)),
    ),
    byLength: positionsByLength(table.tools),
    last: [],
    fittings: [],
    kinds: new Map(),
    changes: new Map(),
    recent: undefined,
    owners: new Map(),
    told: undefined,
  };
}

function positionsByLength(tools: readonly NamedTool[]): readonly number[] {
  return tools.map((_, index) => index).sort((a, b) => lengthAt(tools, b) - lengthAt(tools, a));
}

function lengthAt(tools: readonly NamedTool[], index: number): number {
  return (tools[index] as NamedTool).name.length;
}

/** `undefined` when a changed name meets another or a number is involved. */
export function changeOf(base: Base, compiled: CompiledRules): Change | undefined {
  const { rules, filler } = compiled;
  const kind = kindOf(base, rules);
  if (kind.harmless) {
    // Most profiles with one limit make the same of all names, so it is made once, under rules that ask for nothing else.
    const length = `${rules.maxLength}${filler}`;
    if (!base.changes.has(length)) base.changes.set(length, sharedChange(base, kind, compiled));
    const shared = base.changes.get(length);
    if (shared !== undefined && leavesChange(shared, compiled)) return shared;
  }
  const change = fitSuspects(base, kind, compiled);
  return change !== undefined && staysApart(base, change) ? change : undefined;
}

function sharedChange(base: Base, kind: Kind, { rules, filler }: CompiledRules): SharedChange | undefined {
  const plain = compileRules({ ...rules, shape: "ascii", first: "", forbidden: [], minLength: 0 });
  const change = fitSuspects(base, kind, { ...plain, filler });
  if (change === undefined) return undefined;
  // A little more or less room mostly leaves the same words.
  const { recent } = base;
  const fresh = recent === undefined ? change : withoutShared(change, recent);
  if (recent !== undefined && fresh.names.length === 0 && change.names.length === recent.names.length)
    return recent;
  if (!staysApart(base, fresh)) return undefined;
  base.recent = { ...change, traits: traitsOf(textsOf(change), recent?.traits, textsOf(fresh)) };
  return base.recent;
}

/** What the rules make of every tool whose name they change; `undefined` where numbers would have to be given anew. */
function fitSuspects(base: Base, kind: Kind, compiled: CompiledRules): Change | undefined {
  const { tools, style } = base.table;
  const positions: number[] = [];
  const names: NamedTool[] = [];
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
    positions.push(index);
    names.push(fitted);
  }
  return { positions, names };
}

/** What a change has that another one did not have in the same place. */
function withoutShared(change: Change, other: Change): Change {
  const positions: number[] = [];
  const names: NamedTool[] = [];
  for (let at = 0; at < change.positions.length; at++) {
    const index = change.positions[at] as number;
    const fitted = change.names[at] as NamedTool;
    if (other.positions[at] === index && other.names[at]?.name === fitted.name) continue;
    positions.push(index);
    names.push(fitted);
  }
  return { positions, names };
}

/** Whether each name is one that no other tool has or ever was given, so that surely none meets another. */
function staysApart({ table, owners }: Base, { positions, names }: Change): boolean {
  for (let at = 0; at < names.length; at++) {
    const index = positions[at] as number;
    const { name } = names[at] as NamedTool;
    const owner = owners.get(name);
    if (owner === index) continue;
    if (owner !== undefined || table.has(name)) return false;
    owners.set(name, index);
  }
  return true;
}

function textsOf({ names }: Change): readonly string[] {
  return names.map(({ name }) => name);
}

/** Whether rules with the same limit would make the same names. What a digest is put behind must be long enough too. */
function leavesChange({ traits }: SharedChange, compiled: CompiledRules): boolean {
  const { rules, filler } = compiled;
  const shortestStem = traits.shortest - filler.length - SHORT_DIGEST_LENGTH;
  return (rules.minLength <= 1 || shortestStem >= rules.minLength) && areLegalNames(traits, compiled);
}

function kindOf(base: Base, rules: NameRules): Kind {
  const key = JSON.stringify({ ...rules, maxLength: 0 });
  const known = base.kinds.get(key);
  if (known !== undefined) return known;
  const narrower = isSubset(rules.alphabet, base.alphabet);
  // The same as asking `staysSame` of each, without looking at each for every one of many rules.
  // What is cut has no parts, so rules that take a separator between parts make other names of what is too long.
  const harmless =
    rules.partSeparator === undefined &&
    base.table.tools.every(({ why }) => mayStay(why, narrower)) &&
    areLegalNames(base.traits, compileRules(rules));
  // Rules that change no characters share what was fitted; how names start is seen to when they are cut.
  const fittings = harmless ? base.fittings : [];
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

/**
 * Whether nothing but illegality can give a name that came about like this another form. None is cut or locked: names of
 * the base may have any length, and no lock knows it.
 */
function mayStay({ kind }: NamedTool["why"], narrower: boolean): boolean {
  return narrower || kind === "wish" || kind === "pinned";
}

export function isSubset(part: string, whole: string): boolean {
  for (const character of part) if (!whole.includes(character)) return false;
  return true;
}
