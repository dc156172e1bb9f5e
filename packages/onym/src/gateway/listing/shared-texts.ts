// Texts derived from a view that callers of a kind share, such as the entries of prompts/list: built in slices on first use, and
// kept with the view (SAFE-4).

import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import type { Reply } from "../../mcp/message.js";
import { runFirstSteps, SharedTurn, type Steps } from "../../model/run-slices.js";
import { createRecentMap } from "./tool-lists.js";

export interface SharedTexts {
  /**
   * Callers that wait for the same text share one build. It ends when all of them have left.
   *
   * @throws an `AbandonedError` when the build ended because this caller and all others have left.
   */
  readonly take: (key: TextKey, steps: () => Steps<Buffer>, whom: TextReader) => Buffer | Promise<Buffer>;
}

/** Who waits for a text. */
interface TextReader {
  readonly callerKey: string;
  readonly signal?: CancelSignal | undefined;
}

/** All that the text depends on. Objects count by identity: a snapshot or table is what decides who sees what. */
export type TextKey = readonly (object | string | number | boolean | undefined)[];

/** Kept texts, within `MAX_LIST_BYTES`. */
const MAX_TEXTS = 256;
/** Steps that a build takes at once: a short text is ready without another turn. */
const FIRST_STEPS = 1;

interface Build {
  readonly text: Promise<Buffer>;
  readonly left: AbortController;
  readonly turn: SharedTurn;
  /** Callers that are still there. */
  waiting: number;
}

export function createSharedTexts(): SharedTexts {
  const kept = createRecentMap<Buffer>((text) => text, MAX_TEXTS);
  const builds = new Map<string, Build>();
  const ids = new WeakMap<object, number>();
  let lastId = 0;
  const idOf = (value: object): number => {
    const id = ids.get(value) ?? ++lastId;
    ids.set(value, id);
    return id;
  };
  const formatKey = (key: TextKey): string =>
    JSON.stringify(key.map((part) => (typeof part === "object" ? [idOf(part)] : (part ?? null))));

  const begin = (key: string, steps: Steps<Buffer>, { callerKey }: TextReader): Buffer | Build => {
    const left = new AbortController();
    const turn = new SharedTurn({ callerKey, signal: left.signal });
    const built = runFirstSteps(steps, FIRST_STEPS, turn);
    if ("value" in built) return kept.take(key, () => built.value);
    const build: Build = {
      text: built
        .then((text) => kept.take(key, () => text))
        .finally(() => {
          if (builds.get(key) === build) builds.delete(key);
        }),
      left,
      turn,
      waiting: 0,
    };
    builds.set(key, build);
    return build;
  };

  return {
    take(parts, steps, whom) {
      const key = formatKey(parts);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const build = builds.get(key) ?? begin(key, steps(), whom);
      return Buffer.isBuffer(build) ? build : waitFor(build, whom, () => builds.delete(key));
    },
  };
}

/** Nobody joins a build that has been given up. */
async function waitFor(build: Build, { callerKey, signal }: TextReader, giveUp: () => void): Promise<Buffer> {
  const leave = (): void => {
    build.waiting -= 1;
    if (build.waiting > 0) return;
    giveUp();
    build.left.abort();
  };
  build.waiting += 1;
  build.turn.join(callerKey);
  if (signal?.aborted === true) leave();
  else signal?.addEventListener("abort", leave, { once: true });
  try {
    return await build.text;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

/** Smaller ones leave as text, in one write. */
export const LARGE_BYTES = 65_536;

/** A shared text that is a whole result. */
export function formatShared(result: Buffer): Reply {
  return result.length < LARGE_BYTES
    ? { kind: "json", json: result.toString() }
    : { kind: "bytes", pieces: [result] };
}

/** Entries, and characters of them, per step. */
const STEP_ENTRIES = 20;
const STEP_LENGTH = 64 * 1024;

/** Entries as JSON, separated by commas; those without a text are left out. */
export function* joinSteps<T>(
  sources: Iterable<T>,
  format: (source: T) => string | undefined,
): Steps<Buffer> {
  const pieces: Buffer[] = [];
  let texts: string[] = [];
  let isFirst = true;
  let step = { entries: 0, length: 0 };
  const keepTexts = (): void => {
    if (texts.length === 0) return;
    pieces.push(Buffer.from(`${isFirst ? "" : ","}${texts.join(",")}`));
    texts = [];
    isFirst = false;
  };
  for (const source of sources) {
    if (step.entries >= STEP_ENTRIES || step.length >= STEP_LENGTH) {
      keepTexts();
      step = { entries: 0, length: 0 };
      yield;
    }
    const text = format(source);
    if (text !== undefined) texts.push(text);
    step = { entries: step.entries + 1, length: step.length + (text?.length ?? 0) };
  }
  keepTexts();
  return yield* concatSteps(pieces);
}

/** Bytes that are copied per step. */
const COPY_BYTES = 4 * 1024 * 1024;

function* concatSteps(pieces: readonly Buffer[]): Steps<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    if (copied >= COPY_BYTES) {
      copied = 0;
      yield;
    }
    at += piece.copy(joined, at);
    copied += piece.length;
  }
  return joined;
}
