// The rules of a profile in the form the fitter reads: tables instead of patterns, made once per naming table.

import type { NameRules } from "./profile.js";

export interface CompiledRules {
  readonly rules: NameRules;
  /** 1 for each ASCII character that may stand in a name. */
  readonly allowed: Uint8Array;
  /** 1 for each ASCII character that may come first. */
  readonly first: Uint8Array;
  /** What stands for a character that may not, and between stem and digest; empty where nothing can. */
  readonly filler: string;
  /** Upper case is unknown here, so it is folded rather than replaced. */
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

/** Whether a name keeps all the rules. */
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

/** What many names are made of, so that rules can be held against all of them at once. */
export interface NameTraits {
  readonly names: readonly string[];
  /** UTF-16 units, each once. */
  readonly units: readonly number[];
  readonly firstUnits: readonly number[];
  readonly shortest: number;
}

/** Where all but the `fresh` names were among others `before`, theirs are taken over, and perhaps more than theirs. */
export function traitsOf(names: readonly string[], before?: NameTraits, fresh = names): NameTraits {
  const units = new Uint8Array(0x10000);
  const firstUnits = new Uint8Array(0x10000);
  let shortest = before?.shortest ?? Number.POSITIVE_INFINITY;
  for (const unit of before?.units ?? []) units[unit] = 1;
  for (const unit of before?.firstUnits ?? []) firstUnits[unit] = 1;
  for (const name of fresh) {
    shortest = Math.min(shortest, name.length);
    if (name.length > 0) firstUnits[name.charCodeAt(0)] = 1;
    for (let at = 0; at < name.length; at++) units[name.charCodeAt(at)] = 1;
  }
  return { names, units: positionsOfOnes(units), firstUnits: positionsOfOnes(firstUnits), shortest };
}

/** Whether every name keeps all the rules but the one about its greatest length. */
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
 * The parts of a toolbox name as if they were one, so that what holds for words holds for all of it (BOX-8). Any
 * other name stays as it is, and so does a toolbox name where its separator is a matter of the alphabet.
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
