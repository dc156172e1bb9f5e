// Finds the elements of a JSON list in its bytes, one after the other, so that a large list is not parsed at
// once, and an element that is nested too deeply harms no other.

import { MAX_DEPTH } from "../json.js";
import { MAX_SCANNED, type Member, Scan } from "./scan.js";
import { levelsOf } from "./scan-members.js";
import { skipSpace } from "./scan-scalars.js";

export interface Element extends Pick<Member, "start" | "end"> {
  /** Nested deeper, including the levels around it, than the limit. */
  readonly isDeep: boolean;
  /** How many values it is: itself, and those in it. */
  readonly values: number;
}

const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;

/**
 * The elements of a list that `scanMembers` accepted; `undefined` between steps of a large one. `outer`: how many levels enclose the
 * list.
 * @example
 * [...scanElements(Buffer.from("[1, 22]"), { start: 0, end: 7 }, 0)]; // [{ start: 1, end: 2, … }, { start: 4, end: 6, … }]
 */
export function* scanElements(
  bytes: Buffer,
  list: Pick<Member, "start" | "end">,
  outer: number,
): Generator<Element | undefined, undefined, undefined> {
  const levels = new Uint8Array(MAX_DEPTH + 1);
  let deepLevels: Uint8Array | undefined;
  if (bytes[list.start] !== OPEN_LIST) return;
  let at = skipSpace(bytes, list.start + 1);
  while (at < list.end && bytes[at] !== CLOSE_LIST) {
    let scan = new Scan(bytes, { start: at, outer: outer + 1, levels });
    let end = yield* scan.steps();
    const isDeep = end < 0;
    if (isDeep) {
      deepLevels ??= levelsOf(bytes);
      scan = new Scan(bytes, { start: at, outer: outer + 1, levels: deepLevels });
      end = yield* scan.steps();
    }
    if (end < 0) return;
    yield { start: at, end, isDeep, values: MAX_SCANNED - scan.left };
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
}
