// Numbers for names that are already taken: `_2`, `_3`, … on a stem cut to make room (NAME-3).

import type { CompiledRules } from "../profiles/compile-rules.js";
import { trimSeparators } from "../profiles/cut-words.js";
import type { NameRules } from "../profiles/profile.js";

/**
 * Gives out numbered names. A counter per stem is never moved back, so that any number of tools that fold onto one
 * name cost linear time together.
 */
export function createNumbering(
  compiled: CompiledRules,
  claim: (name: string, index: number) => boolean,
): (wish: string, index: number) => string {
  const { rules, filler } = compiled;
  const next = new Map<string, number>();
  return (wish, index) => {
    for (let digits = 1; ; digits++) {
      const room = rules.maxLength - filler.length - digits;
      const stem = wholeParts(trimSeparators(wish.slice(0, room)), rules);
      const limit = 10 ** digits;
      let number = Math.max(next.get(stem) ?? 2, digits === 1 ? 2 : limit / 10);
      for (; number < limit; number++) {
        const name = `${stem}${filler}${number}`;
        if (!claim(name, index)) continue;
        next.set(stem, number + 1);
        return name;
      }
      next.set(stem, number);
    }
  };
}

/** A toolbox name that lost a part is none, and may not look like half of one where the rules tell (BOX-8). */
function wholeParts(stem: string, { partSeparator }: NameRules): string {
  if (partSeparator === undefined || stem.split(partSeparator).length === 3) return stem;
  return stem.replaceAll(partSeparator, "_");
}
