// What name checks need from a profile, computed once per profile: compiled patterns, and the rules that its
// pattern documents (which may be wider than the rules for assigned names).

import { deriveRules, expandClass } from "./derive-rules.js";
import { joinParts } from "./fit/compile-rules.js";
import type { NameRules, Profile } from "./profile.js";

export interface CompiledProfile {
  readonly pattern: RegExp;
  readonly sentPattern: RegExp;
  /** The rules given by the profile's own pattern, lengths and first character. */
  readonly documented: NameRules;
  /** Every character that may be sent; empty if there is no restriction. */
  readonly sentAlphabet: string;
}

const NOTHING = /(?!)/;
const compiled = new WeakMap<Profile, CompiledProfile>();

export function compileProfile(profile: Profile): CompiledProfile {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const made: CompiledProfile = {
    pattern: compilePattern(profile.pattern),
    sentPattern: compilePattern(profile.client.sentPattern),
    documented: documentedRules(profile),
    sentAlphabet: deriveRules(profile.client.sentPattern)?.alphabet ?? "",
  };
  compiled.set(profile, made);
  return made;
}

/** Whether the profile's source accepts the bare name. */
export function acceptsBareName(name: string, profile: Profile): boolean {
  const { pattern, documented } = compileProfile(profile);
  const { first, minLength, maxLength } = documented;
  // Check lengths first, so that no pattern runs over more text than its own limit.
  if (name.length < minLength || name.length > maxLength) return false;
  return (first === "" || first.includes(name.charAt(0))) && pattern.test(joinParts(name, profile.rules));
}

/** A hand-written profile may contain a pattern that does not compile; then nothing matches. */
function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return NOTHING;
  }
}

function documentedRules(profile: Profile): NameRules {
  const derived = deriveRules(profile.pattern) ?? profile.rules;
  const firstChar = profile.firstChar === undefined ? undefined : expandClass(profile.firstChar.slice(1, -1));
  return {
    ...derived,
    first: firstChar ?? derived.first,
    minLength: Math.max(profile.minLength, derived.minLength),
    maxLength: Math.min(profile.maxLength ?? Infinity, derived.maxLength),
  };
}
