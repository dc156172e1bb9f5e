// Finds the elements of a JSON list in its bytes, one after the other, so that a large list is not parsed at
// once, and an element that is nested too deeply harms no other.

import { endOfValue, type Member, scannable, scannableDeep } from "./scan-members.js";
import { skipSpace } from "./scan-scalars.js";

export interface Element extends Pick<Member, "start" | "end"> {
  /** Nested deeper, including the levels around it, than the limit. */
  readonly isDeep: boolean;
}

const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;

/**
 * The elements of a list that `scanMembers` accepted. `outer`: how many levels enclose the list.
 * @example
 * [...scanElements(Buffer.from("[1, 22]"), { start: 0, end: 7 }, 0)]; // [{ start: 1, end: 2, … }, { start: 4, end: 6, … }]
 */
export function* scanElements(
  bytes: Buffer,
  list: Pick<Member, "start" | "end">,
  outer: number,
): Generator<Element, undefined, undefined> {
  const usual = scannable(bytes);
  let deep: ReturnType<typeof scannable> | undefined;
  if (bytes[list.start] !== OPEN_LIST) return;
  let at = skipSpace(bytes, list.start + 1);
  while (at < list.end && bytes[at] !== CLOSE_LIST) {
    let end = endOfValue(usual, at, outer + 1);
    const isDeep = end < 0;
    if (isDeep) {
      deep ??= scannableDeep(bytes);
      end = endOfValue(deep, at, outer + 1);
    }
    if (end < 0) return;
    yield { start: at, end, isDeep };
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
}
