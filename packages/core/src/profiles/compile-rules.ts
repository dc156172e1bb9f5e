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
  for (const text of rules.forbidden) {
    if (name.includes(text)) return false;
  }
  return rules.shape !== "snake" || (!name.includes("__") && !name.startsWith("_") && !name.endsWith("_"));
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
