// Finds the members of a JSON text in its bytes without parsing values. Accepts what JSON.parse accepts, so that scanned text can
// be forwarded unparsed and parsed on access.

import { isUtf8 } from "node:buffer";
import { type Members, runAtOnce, Scan, type Steps } from "./scan.js";
import { skipSpace } from "./scan-scalars.js";

/**
 * The members of the object in a text, and of those members that should be scanned too. `undefined` if the
 * text is not JSON, is nested too deeply, has too many values or a very long number, is not an object, or has an ambiguous key
 * there: a duplicate, or one with escapes. With `any` depth, no nesting is too deep.
 * @example
 * scanMembers(Buffer.from('{"id":1,"result":{"n":1.0}}'), new Set())?.get("result"); // { start: 17, end: 26, values: 2 }
 */
export function scanMembers(
  bytes: Buffer,
  inside: ReadonlySet<string>,
  depth: "usual" | "any" = "usual",
): Members | undefined {
  return runAtOnce(scanMembersSteps(bytes, inside, depth));
}

export function* scanMembersSteps(
  bytes: Buffer,
  inside: ReadonlySet<string>,
  depth: "usual" | "any" = "usual",
): Steps<Members | undefined> {
  if (!isUtf8(bytes)) return undefined;
  const scan = new Scan(bytes, depth === "usual" ? { inside } : { inside, levels: levelsOf(bytes) });
  const end = yield* scan.steps();
  return end > 0 && (yield* endOfSpace(bytes, end)) === bytes.length ? scan.members : undefined;
}

/** For any depth: no text has more levels than bytes. */
export function levelsOf(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.length + 2);
}

/** Bytes of white space per step. */
const STEP_SPACE = 1_048_576;

function* endOfSpace(bytes: Buffer, start: number): Steps<number> {
  let at = skipSpace(bytes, start, start + STEP_SPACE);
  for (let from = start; at === from + STEP_SPACE; at = skipSpace(bytes, from, from + STEP_SPACE)) {
    from = at;
    yield;
  }
  return at;
}

/** Enough for members that stand before a large one. */
const FIRST_SCANNED = 1_000;

/** The first members of an object, whether or not the rest is JSON. */
export function scanFirstMembers(bytes: Buffer): Members {
  const scan = new Scan(bytes, { inside: NOTHING, values: FIRST_SCANNED });
  scan.run();
  return scan.members ?? new Map();
}

const NOTHING: ReadonlySet<string> = new Set();
