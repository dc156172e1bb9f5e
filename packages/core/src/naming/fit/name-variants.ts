// The names of one catalog in many profiles at once. Most profiles give most tools the same name, so only two
// tables with unlimited lengths are built in full. For each profile only the differences from one of them are
// computed.

import { eachInSteps, everyInSteps, type Steps } from "../../names/steps.js";
import { findProfile } from "../../profiles/find-profile.js";
import { compileRules } from "../../profiles/fit/compile-rules.js";
import type { NameRules, Profile } from "../../profiles/profile.js";
import { confusedNames } from "../../profiles/sent/confused-names.js";
import { nameRulesFor } from "../../profiles/sent/name-budget.js";
import type { NamedTool } from "../assign/assign-names.js";
import { BOUNDLESS, type NamingTable } from "../build-naming-table.js";
import { rulesInStyle } from "../wish/style.js";
import { type Base, baseSteps, type Change, changeSteps, isSubset } from "./base-names.js";
import { MIN_ROOM } from "./fit-name.js";

/** Names that some profile assigns. `named` contains at least every name that no earlier variant had. */
export interface NameVariant {
  readonly style: NamingTable["style"];
  readonly named: readonly NamedTool[];
}

export interface VariantInput {
  readonly profiles: readonly Profile[];
  readonly as: string;
  readonly tableSteps: (profile: Profile) => Steps<NamingTable>;
  /** Profiles with names in a lock, which must be computed from the lock. */
  readonly isLocked: (profile: Profile) => boolean;
  /** Unrestricted profiles use canonical names, which are not additional spellings. */
  readonly keepsCanonical?: boolean;
}

/** `undefined` between steps. */
export function* nameVariants(input: VariantInput): Generator<NameVariant | undefined, undefined, undefined> {
  const bases = new Map<string, Base>();
  for (const { profile, rules } of distinctRules(input)) {
    const isUnlocked = !input.isLocked(profile);
    const isBoundless = rules.maxLength === Number.POSITIVE_INFINITY;
    if (profile.unrestricted && isBoundless && isUnlocked && input.keepsCanonical === true) continue;
    if (rules.shape === "camel" || rules.shape === "any" || !isUnlocked) {
      yield variantOf(yield* input.tableSteps(profile));
      continue;
    }
    // Names with and without hyphens differ too often to share one table.
    const alphabet = rules.alphabet.includes("-") ? `${WORDS}-` : WORDS;
    let base = bases.get(alphabet);
    if (base === undefined) {
      const [other] = bases.values();
      if (other !== undefined && isSubset(other.alphabet, alphabet) && isUntouched(other.table)) base = other;
      else {
        const plain = yield* plainTable(input, alphabet);
        base = yield* baseSteps(plain ?? (yield* input.tableSteps(boundless(alphabet))), alphabet);
      }
      bases.set(alphabet, base);
      if (base !== other)
        yield other === undefined ? variantOf(base.table) : newVariant(base.table, other.table);
    }
    const differing = yield* differingNames(base, profile, rules, input.as);
    yield differing ?? variantOf(yield* input.tableSteps(profile));
  }
}

/** Canonical names have their own lookup, so they are not additional spellings. */
function variantOf({ style, tools }: NamingTable): NameVariant {
  if (style !== "canonical") return { style, named: tools };
  return { style, named: tools.filter(({ name, tool }) => name !== tool.canonical) };
}

/** Whether every tool got exactly its wish or a pin, so that a larger alphabet would change nothing. */
function isUntouched({ tools, problems }: NamingTable): boolean {
  return (
    problems.every(({ code }) => code === "too-many-tools") &&
    tools.every(({ why }) => why.kind === "wish" || why.kind === "pinned")
  );
}

/** An existing table that would equal the table with unlimited lengths. */
function* plainTable(input: VariantInput, alphabet: string): Steps<NamingTable | undefined> {
  const openai = findProfile("openai") as Profile;
  if (input.isLocked(openai)) return undefined;
  const table = yield* input.tableSteps(openai);
  const fits = alphabet.includes("-") || !table.tools.some(({ name }) => name.includes("-"));
  return fits && isUntouched(table) ? table : undefined;
}

/**
 * The names of a table that another table does not have. A name with another reason may come from another wish, so
 * it counts.
 */
function newVariant(table: NamingTable, other: NamingTable): NameVariant {
  const isNew = ({ name, tool, why }: NamedTool, index: number): boolean => {
    const before = other.tools[index];
    return before?.tool !== tool || before.name !== name || before.why.kind !== why.kind;
  };
  return variantOf({ ...table, tools: table.tools.filter(isNew) });
}

const WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

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

/** One profile per distinct set of rules, grouped by length. */
function distinctRules(
  input: VariantInput,
): Iterable<{ readonly profile: Profile; readonly rules: NameRules }> {
  const distinct = new Map<string, { readonly profile: Profile; readonly rules: NameRules }>();
  for (const profile of input.profiles) {
    const rules = nameRulesFor(profile, input.as);
    if (rules.maxLength < MIN_ROOM) continue;
    const confuses = confusedNames(profile, input.as) !== undefined;
    const client = confuses ? [profile.client, profile.caseSensitive] : null;
    const kind = JSON.stringify([
      rules,
      String(rules.maxLength),
      input.isLocked(profile) ? profile.id : client,
    ]);
    if (!distinct.has(kind)) distinct.set(kind, { profile, rules });
  }
  return [...distinct.values()].sort((a, b) =>
    a.rules.maxLength === b.rules.maxLength ? 0 : a.rules.maxLength < b.rules.maxLength ? 1 : -1,
  );
}

/**
 * The differences between a table and another profile. `undefined` if a changed name collides or a number is
 * involved: then only a full assignment can decide.
 */
function* differingNames(
  base: Base,
  profile: Profile,
  rules: NameRules,
  as: string,
): Steps<NameVariant | undefined> {
  const { table } = base;
  // A pin that only some profiles can keep moves names that the rules alone would not move.
  if (table.problems.some(({ code }) => code === "pin-illegal")) return undefined;
  if (rules.reserved?.some((name) => table.has(name)) === true) return undefined;

  const confuses = confusedNames(profile, as);
  const change = yield* changeSteps(base, compileRules(rulesInStyle(rules, table.style)));
  if (change === undefined || rules.reserved?.some((name) => base.owners.has(name)) === true)
    return undefined;
  if (confuses !== undefined) {
    const reserved = new Set([...table.reserved, ...(rules.reserved ?? [])]);
    if (yield* namesMeet(confuses, { tools: table.tools, reserved }, change)) return undefined;
  }
  return { style: table.style, named: newNames(base, change) };
}

function newNames(base: Base, change: Change): readonly NamedTool[] {
  if (base.reported === change) return [];
  base.reported = change;
  const { last } = base;
  return change.names.filter(({ name }, at) => {
    const index = change.positions[at] as number;
    if (last[index] === name) return false;
    last[index] = name;
    return true;
  });
}

// Whether the names of a table, some of them changed, stay distinct in a client that compares names loosely
// (RULE-5).

/** Whether a client that compares names loosely would confuse two of them. */
export function* namesMeet(
  sameAs: (name: string) => string,
  { tools, reserved }: Pick<NamingTable, "tools" | "reserved">,
  change: Change,
): Steps<boolean> {
  const names = tools.map(({ name }) => name);
  for (const [at, index] of change.positions.entries()) names[index] = (change.names[at] as NamedTool).name;
  // The names are distinct, so if each maps to itself none collide.
  const isItself = (name: string): boolean => sameAs(name) === name;
  if ([...reserved].every(isItself) && (yield* everyInSteps(names, isItself))) return false;
  const texts = new Set([...reserved].map(sameAs));
  // Reserved names may look alike. Tools' names may not, and may not look like reserved ones.
  const kept = texts.size;
  yield* eachInSteps(names, (name) => texts.add(sameAs(name)));
  return texts.size < kept + names.length;
}
