// Makes a new input out of known ones: a few random edits of bytes, spans and tokens. The same chance makes the same input.

import type { Chance } from "../gateway/misroutes/chance.js";

export interface MutationSource {
  readonly corpus: readonly Buffer[];
  readonly tokens: readonly string[];
  readonly chance: Chance;
}

const MAX_BYTES = 32_768;
/** Most inputs are small, so that there can be many. */
const USUAL_BYTES = 2_048;
const MAX_EDITS = 5;
/** Bytes that mean something to one reader or another. */
const TELLING = Buffer.from([
  0, 9, 10, 13, 31, 32, 34, 37, 43, 44, 45, 46, 47, 58, 61, 63, 64, 91, 92, 93, 95, 123, 125, 126, 127, 128,
  191, 192, 237, 239, 254, 255,
]);

export function mutate(source: MutationSource): Buffer {
  const { corpus, chance } = source;
  const most = chance.below(50) === 0 ? MAX_BYTES : USUAL_BYTES;
  let input = chance.pick(corpus) ?? Buffer.alloc(0);
  for (let edits = 1 + chance.below(MAX_EDITS); edits > 0; edits -= 1)
    input = edit(input, source).subarray(0, most);
  return input;
}

/** One edit; the input itself is left as it is. */
function edit(input: Buffer, { corpus, tokens, chance }: MutationSource): Buffer {
  const at = chance.below(input.length + 1);
  const span = spanOf(input, chance);
  switch (chance.below(9)) {
    case 0:
      return splice(input, at, 1, Buffer.from([chance.below(256)]));
    case 1:
      return splice(
        input,
        at,
        chance.below(2),
        TELLING.subarray(chance.below(TELLING.length)).subarray(0, 1),
      );
    case 2:
      return splice(input, at, 0, Buffer.from(chance.pick(tokens) ?? ""));
    case 3:
      return splice(input, at, chance.below(8), Buffer.from(chance.pick(tokens) ?? ""));
    case 4:
      return splice(input, at, span.length, Buffer.alloc(0));
    case 5:
      return splice(input, at, 0, span);
    case 6:
      return splice(input, at, 0, repeat(span, 1 + chance.below(chance.below(20) === 0 ? 2_000 : 8)));
    case 7:
      return splice(input, at, chance.below(16), spanOf(chance.pick(corpus) ?? input, chance));
    default:
      return flipBit(input, chance);
  }
}

function spanOf(input: Buffer, chance: Chance): Buffer {
  const start = chance.below(input.length + 1);
  return input.subarray(start, start + chance.below(chance.below(4) === 0 ? input.length + 1 : 12));
}

function splice(input: Buffer, at: number, remove: number, put: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), put, input.subarray(at + remove)]);
}

function repeat(span: Buffer, times: number): Buffer {
  const most = Math.min(times, Math.floor(MAX_BYTES / Math.max(1, span.length)));
  return Buffer.concat(Array.from({ length: most }, () => span));
}

function flipBit(input: Buffer, chance: Chance): Buffer {
  const copy = Buffer.from(input);
  const at = chance.below(Math.max(1, copy.length));
  if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << chance.below(8));
  return copy;
}
