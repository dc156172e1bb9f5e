// The rules of a profile in the form that the fitter uses: tables instead of patterns, built once per naming table.

import { eachInSteps, type Steps } from "../../names/steps.js";
import type { NameRules } from "../profile.js";

export interface CompiledRules {
  readonly rules: NameRules;
  /** 1 for each ASCII character that a name may contain. */
  readonly allowed: Uint8Array;
  /** 1 for each ASCII character that may come first. */
  readonly first: Uint8Array;
  /** Replaces illegal characters, and separates stem and digest; empty if no character is suitable. */
  readonly filler: string;
  /** The alphabet has no upper case, so upper case is folded instead of replaced. */
  readonly foldsCase: boolean;
}

export function compileRules(rules: NameRules): CompiledRules {
  const allowed = tableOf(rules.alphabet);
  const has = (character: string): boolean => allowed[character.charCodeAt(0)] === 1;
  const filler = ["_", "-", "."].find((each) => has(each) && !rules.forbidden.includes(each)) ?? "";
  return {
    rules,
    allowed,
    first: rules.first === "" ? allowed : tableOf(rules.first),
    filler: rules.shape === "any" ? "_" : rules.shape === "camel" ? "" : filler,
    foldsCase: rules.shape === "ascii" && has("a") && !has("A"),
  };
}

/** Whether a name satisfies all rules. */
export function isLegalName(name: string, { rules, allowed, first }: CompiledRules): boolean {
  const length = name.length;
  if (length < rules.minLength || length > rules.maxLength) return false;
  if (rules.shape === "any") return true;
  if (length > 0 && first[name.charCodeAt(0)] !== 1) return false;
  for (let i = 0; i < length; i++) {
    if (allowed[name.charCodeAt(i)] !== 1) return false;
  }
  return keepsSequences(name, rules);
}

/** The characters of many names together, to check rules against all names at once. */
export interface NameTraits {
  readonly names: readonly string[];
  /** UTF-16 units, each once. */
  readonly units: readonly number[];
  readonly firstUnits: readonly number[];
  readonly shortest: number;
}

/**
 * Reuses the traits `before` if all names except the `fresh` ones were part of them. The result may include more
 * than these names need.
 */
export function* traitsSteps(
  names: readonly string[],
  before?: NameTraits,
  fresh = names,
): Steps<NameTraits> {
  const units = new Uint8Array(0x10000);
  const firstUnits = new Uint8Array(0x10000);
  let shortest = before?.shortest ?? Number.POSITIVE_INFINITY;
  for (const unit of before?.units ?? []) units[unit] = 1;
  for (const unit of before?.firstUnits ?? []) firstUnits[unit] = 1;
  yield* eachInSteps(fresh, (name) => {
    shortest = Math.min(shortest, name.length);
    if (name.length > 0) firstUnits[name.charCodeAt(0)] = 1;
    for (let at = 0; at < name.length; at++) units[name.charCodeAt(at)] = 1;
  });
  return { names, units: positionsOfOnes(units), firstUnits: positionsOfOnes(firstUnits), shortest };
}

/** Whether every name satisfies all rules except the maximum length. */
export function areLegalNames(traits: NameTraits, { rules, allowed, first }: CompiledRules): boolean {
  if (traits.shortest < rules.minLength) return false;
  if (rules.shape === "any") return true;
  return (
    traits.units.every((unit) => allowed[unit] === 1) &&
    traits.firstUnits.every((unit) => first[unit] === 1) &&
    ((rules.forbidden.length === 0 && rules.shape !== "snake") ||
      traits.names.every((name) => keepsSequences(name, rules)))
  );
}

function keepsSequences(name: string, rules: NameRules): boolean {
  const words = joinParts(name, rules);
  for (const text of rules.forbidden) {
    if (words.includes(text)) return false;
  }
  return rules.shape !== "snake" || (!words.includes("__") && !words.startsWith("_") && !words.endsWith("_"));
}

/**
 * Joins the parts of a toolbox name, so that the rules for words apply to all of it (BOX-8). Returns any other name
 * unchanged, and also a toolbox name if the alphabet already allows its separator.
 */
export function joinParts(name: string, { partSeparator }: Pick<NameRules, "partSeparator">): string {
  if (partSeparator === undefined || !name.includes(partSeparator)) return name;
  const parts = name.split(partSeparator);
  return parts.length === 3 ? parts.join("_") : name;
}

function positionsOfOnes(flags: Uint8Array): readonly number[] {
  const positions: number[] = [];
  for (let at = flags.indexOf(1); at >= 0; at = flags.indexOf(1, at + 1)) positions.push(at);
  return positions;
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
