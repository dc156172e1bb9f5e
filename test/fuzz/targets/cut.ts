// Bytes as a network delivers them: in pieces of any size, empty ones too.

import type { Chance } from "../../gateway/misroutes/chance.js";

const MAX_PIECES = 6;

export function cut(input: Buffer, chance: Chance): readonly Buffer[] {
  const places = Array.from({ length: chance.below(MAX_PIECES) }, () => chance.below(input.length + 1));
  const ends = [...places.sort((a, b) => a - b), input.length];
  return ends.map((end, index) => input.subarray(ends[index - 1] ?? 0, end));
}
