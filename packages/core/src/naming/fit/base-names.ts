// Derives the names of many profiles from one table: stores only the differences, and computes them once for equal
// rules.

import { SHORT_DIGEST_LENGTH } from "../../identity/short-digest.js";
import { eachInSteps, everyInSteps, type Steps, sortSteps } from "../../names/steps.js";
import {
  areLegalNames,
  type CompiledRules,
  compileRules,
  isLegalName,
  type NameTraits,
  traitsSteps,
} from "../../profiles/fit/compile-rules.js";
import type { NameRules } from "../../profiles/profile.js";
import type { NamedTool } from "../assign/assign-names.js";
import type { NamingTable } from "../build-naming-table.js";
import { type Fitting, fittingOf, nameWithin } from "./fit-name.js";

/** An internal table with names of any length, restricted only in their characters. */
export interface Base {
  readonly table: NamingTable;
  readonly alphabet: string;
  readonly hasNumbers: boolean;
  /** Traits of all names, and of the wishes behind numbered names. */
  readonly traits: NameTraits;
  /** Positions, longest names first, to find the few names that are too long for a profile without a full scan. */
  readonly byLength: readonly number[];
  /** The last assigned name by position: most profiles assign the same name as the previous one. */
  readonly last: (string | undefined)[];
  readonly fittings: (Fitting | undefined)[];
  /** What each set of rules makes of the names, except for their length. */
  readonly kinds: Map<string, Kind>;
  /** Results of rules that change no characters, by the length that they allow. */
  readonly changes: Map<string, SharedChange | undefined>;
  /** The latest one. */
  recent: SharedChange | undefined;
  /** Every text that a change ever used, and its tool: a text that only one tool ever had cannot collide. */
  readonly owners: Map<string, number>;
  /** The change that was returned last. */
  reported: Change | undefined;
}

/** The names that differ from the base table, longest base name first. */
export interface Change {
  /** Positions of the tools. */
  readonly positions: readonly number[];
  /** Their new names. */
  readonly names: readonly NamedTool[];
}

interface SharedChange extends Change {
  readonly traits: NameTraits;
}

interface Kind {
  /** The rules change only names that are too long, as most rules do. */
  readonly harmless: boolean;
  readonly narrower: boolean;
  /** By position: fitted once, then cut to each length. */
  readonly fittings: (Fitting | undefined)[];
}

export function* baseSteps(table: NamingTable, alphabet: string): Steps<Base> {
  const { tools } = table;
  const texts: string[] = [];
  const byLength: number[] = [];
  yield* eachInSteps(tools, ({ name, why }, index) => {
    byLength.push(index);
    texts.push(name);
    if (why.kind === "numbered") texts.push(why.wish);
  });
  yield* sortSteps(byLength, (a, b) => lengthAt(tools, b) - lengthAt(tools, a));
  return {
    table,
    alphabet,
    hasNumbers: texts.length > tools.length,
    traits: yield* traitsSteps(texts),
    byLength,
    last: [],
    fittings: [],
    kinds: new Map(),
    changes: new Map(),
    recent: undefined,
    owners: new Map(),
    reported: undefined,
  };
}

function lengthAt(tools: readonly NamedTool[], index: number): number {
  return (tools[index] as NamedTool).name.length;
}

/** `undefined` if a changed name collides with another or a number is involved. */
export function* changeSteps(base: Base, compiled: CompiledRules): Steps<Change | undefined> {
  const { rules, filler } = compiled;
  const kind = kindOf(base, rules);
  if (kind.harmless) {
    // Most profiles with the same limit change names in the same way, so compute it once, under rules with no other
    // restrictions.
    const length = `${rules.maxLength}${filler}`;
    if (!base.changes.has(length)) base.changes.set(length, yield* sharedChange(base, kind, compiled));
    const shared = base.changes.get(length);
    if (shared !== undefined && leavesChange(shared, compiled)) return shared;
  }
  const change = yield* fitSuspects(base, kind, compiled);
  return change !== undefined && (yield* staysApart(base, change)) ? change : undefined;
}

function* sharedChange(
  base: Base,
  kind: Kind,
  { rules, filler }: CompiledRules,
): Steps<SharedChange | undefined> {
  const plain = compileRules({ ...rules, shape: "ascii", first: "", forbidden: [], minLength: 0 });
  const change = yield* fitSuspects(base, kind, { ...plain, filler });
  if (change === undefined) return undefined;
  // A slightly different limit usually keeps the same words.
  const { recent } = base;
  const fresh = recent === undefined ? change : withoutShared(change, recent);
  if (recent !== undefined && fresh.names.length === 0 && change.names.length === recent.names.length)
    return recent;
  if (!(yield* staysApart(base, fresh))) return undefined;
  const traits = yield* traitsSteps(textsOf(change), recent?.traits, textsOf(fresh));
  base.recent = { ...change, traits };
  return base.recent;
}

/** The new name of every tool whose name these rules change; `undefined` if numbers would have to be reassigned. */
function* fitSuspects(base: Base, kind: Kind, compiled: CompiledRules): Steps<Change | undefined> {
  const { tools, style } = base.table;
  const positions: number[] = [];
  const names: NamedTool[] = [];
  const isKept = yield* everyInSteps(yield* suspects(base, kind, compiled), (index) => {
    const entry = tools[index] as NamedTool;
    let fitting = kind.fittings[index];
    if (fitting === undefined) {
      fitting = fittingOf(entry.tool, style, compiled);
      kind.fittings[index] = fitting;
    }
    const fitted = nameWithin(fitting, compiled);
    if (fitted.name === entry.name) return true;
    positions.push(index);
    names.push(fitted);
    return !base.hasNumbers;
  });
  return isKept ? { positions, names } : undefined;
}

/** The part of a change that differs from another change. */
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

/** Whether each name is one that no other tool has or ever had, so that no two collide. */
function staysApart({ table, owners }: Base, { positions, names }: Change): Steps<boolean> {
  return everyInSteps(names, ({ name }, at) => {
    const index = positions[at] as number;
    const owner = owners.get(name);
    if (owner === index) return true;
    if (owner !== undefined || table.has(name)) return false;
    owners.set(name, index);
    return true;
  });
}

function textsOf({ names }: Change): readonly string[] {
  return names.map(({ name }) => name);
}

/** Whether rules with the same limit give the same names. The stem before a digest must be long enough, too. */
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
  // Same result as `staysSame` for each name, without checking each name under every set of rules. Cut names have
  // no parts, so rules with a part separator give different names for those that are too long.
  const harmless =
    rules.partSeparator === undefined &&
    base.table.tools.every(({ why }) => mayStay(why, narrower)) &&
    areLegalNames(base.traits, compileRules(rules));
  // Rules that change no characters share the fitted texts; the first character is handled when names are cut.
  const fittings = harmless ? base.fittings : [];
  const kind = { harmless, narrower, fittings };
  base.kinds.set(key, kind);
  return kind;
}

/** Positions of the tools whose names may differ under these rules. */
function* suspects(
  base: Base,
  { harmless, narrower }: Kind,
  compiled: CompiledRules,
): Steps<readonly number[]> {
  const { byLength, table } = base;
  if (!harmless) {
    const found: number[] = [];
    yield* eachInSteps(byLength, (index) => {
      if (!staysSame(table.tools[index] as NamedTool, compiled, narrower)) found.push(index);
    });
    return found;
  }
  const end = byLength.findIndex((index) => lengthAt(table.tools, index) <= compiled.rules.maxLength);
  return end < 0 ? byLength : byLength.slice(0, end);
}

/** Whether a profile certainly gives a tool its name from the base table. */
function staysSame({ name, why }: NamedTool, compiled: CompiledRules, narrower: boolean): boolean {
  return (
    mayStay(why, narrower) &&
    isLegalName(name, compiled) &&
    (why.kind !== "numbered" || isLegalName(why.wish, compiled))
  );
}

/**
 * Whether only illegality can change a name with this reason. Base names are never cut or locked: they may have any
 * length, and no lock contains the base table.
 */
function mayStay({ kind }: NamedTool["why"], narrower: boolean): boolean {
  return narrower || kind === "wish" || kind === "pinned";
}

export function isSubset(part: string, whole: string): boolean {
  for (const character of part) if (!whole.includes(character)) return false;
  return true;
}
