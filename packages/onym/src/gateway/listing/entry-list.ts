// The entries of a list as consecutive JSON bytes, held once: pages and replies are slices of them.

import type { Tool } from "@onym/core";
import { runAtOnce, type Steps } from "../../model/run-slices.js";

interface Held {
  readonly tools: readonly Tool[];
  /** Each entry is followed by a comma. */
  readonly bytes: Buffer;
  /** The end of each entry in the bytes, including its comma. */
  readonly ends: readonly number[];
}

export interface EntryList extends Held {
  /** The entries from one position up to another, separated by commas. Not a copy. */
  readonly slice: (from: number, to: number) => Buffer;
  /**
   * The entries of some tools; the list itself if that is all of them. `rewrite` returns the entry of a tool that
   * is not to be copied.
   */
  readonly pickSteps: (
    isWanted: (tool: Tool) => boolean,
    rewrite?: (tool: Tool) => string | undefined,
  ) => Steps<EntryList>;
}

export interface EntrySource {
  readonly tool: Tool;
  /** The entry, or its start if the rest is copied from another. */
  readonly json: string;
  readonly rest?: EntryRest;
}

/** The tail of an entry of the model, from some byte on. */
interface EntryRest {
  readonly position: number;
  readonly skip: number;
}

/**
 * Writes each entry as it comes, so that only one is ever held as text. `room` estimates the bytes: unused
 * room costs no memory, missing room costs a copy. Parts that equal another list, the `model`, are copied
 * from it in the longest possible runs.
 */
export function buildEntryList(sources: Iterable<EntrySource>, room: number, model?: EntryList): EntryList {
  return runAtOnce(entryListSteps(sources, room, model));
}

/** Entries, and bytes of them, per step. */
const STEP_ENTRIES = 100;
const STEP_BYTES = 256 * 1024;

export function* entryListSteps(
  sources: Iterable<EntrySource>,
  room: number,
  model?: EntryList,
): Steps<EntryList> {
  const tools: Tool[] = [];
  const ends: number[] = [];
  let bytes: Buffer = Buffer.allocUnsafeSlow(room);
  let length = 0;
  let step = { entries: 0, bytes: 0 };
  /** The pending range of the model that is not copied yet. */
  let from = 0;
  let to = 0;
  const copyPending = (): void => {
    const start = length;
    length += to - from;
    if (length > bytes.length) bytes = moved(bytes, start, Math.max(length, bytes.length * 2));
    model?.bytes.copy(bytes, start, from, to);
    from = to;
  };
  for (const { tool, json, rest } of sources) {
    if (json !== "" || rest === undefined) {
      copyPending();
      // A character takes three bytes at most, and the comma one.
      const most = length + json.length * 3 + 1;
      if (most > bytes.length) bytes = moved(bytes, length, Math.max(most, bytes.length * 2));
      length += bytes.write(json, length);
    }
    if (rest === undefined) bytes[length++] = COMMA;
    else {
      const there = model?.ends ?? [];
      const start = (there[rest.position - 1] ?? 0) + rest.skip;
      if (start !== to) copyPending();
      if (from === to) from = start;
      to = there[rest.position] ?? start;
    }
    ends.push(length + to - from);
    tools.push(tool);
    if (tools.length - step.entries < STEP_ENTRIES && length - step.bytes < STEP_BYTES) continue;
    step = { entries: tools.length, bytes: length };
    yield;
  }
  copyPending();
  return windowOn({ tools, ends, bytes });
}

const COMMA = 0x2c;

function moved(bytes: Buffer, length: number, size: number): Buffer {
  const next = Buffer.allocUnsafeSlow(size);
  bytes.copy(next, 0, 0, length);
  return next;
}

function windowOn({ tools, ends, bytes }: Held): EntryList {
  const startOf = (index: number): number => ends[index - 1] ?? 0;
  const list: EntryList = {
    tools,
    ends,
    bytes,
    slice: (from, to) => bytes.subarray(startOf(from), Math.max(startOf(from), startOf(to) - 1)),
    *pickSteps(isWanted, rewrite) {
      const wanted = tools.flatMap((tool, index) => (isWanted(tool) ? [index] : []));
      if (wanted.length === tools.length) return list;
      return yield* entryListSteps(sourcesAt(wanted, tools, rewrite), ends.at(-1) ?? 0, list);
    },
  };
  return list;
}

function* sourcesAt(
  positions: readonly number[],
  tools: readonly Tool[],
  rewrite: ((tool: Tool) => string | undefined) | undefined,
): Iterable<EntrySource> {
  for (const position of positions) {
    const tool = tools[position] as Tool;
    const json = rewrite?.(tool);
    yield json === undefined ? { tool, json: "", rest: { position, skip: 0 } } : { tool, json };
  }
}
