// What checking a name needs of a profile, made once per profile: compiled patterns, and the rules that its
// pattern documents (which may be wider than the rules for names given out).

import { joinParts } from "./compile-rules.js";
import { deriveRules, expandClass } from "./derive-rules.js";
import type { NameRules, Profile } from "./profile.js";

export interface CompiledProfile {
  readonly pattern: RegExp;
  readonly sentPattern: RegExp;
  /** The rules that the profile's own pattern, lengths and first character state. */
  readonly documented: NameRules;
  /** Every character that may be sent; empty where anything may. */
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

/** Whether the bare name is what the profile's source accepts. */
export function acceptsBareName(name: string, profile: Profile): boolean {
  const { pattern, documented } = compileProfile(profile);
  const { first, minLength, maxLength } = documented;
  // Lengths come first, so that no pattern runs over more text than its own limit.
  if (name.length < minLength || name.length > maxLength) return false;
  return (first === "" || first.includes(name.charAt(0))) && pattern.test(joinParts(name, profile.rules));
}

/** A profile that somebody wrote by hand may hold a pattern that does not compile; then nothing matches it. */
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
