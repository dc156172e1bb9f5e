// The entries of a list as JSON bytes, one after the other, held once: pages and answers are windows on them.

import type { Tool } from "@onym/core";

export interface EntryList {
  readonly tools: readonly Tool[];
  /** The entries from one position up to another, separated by commas. Not a copy. */
  readonly slice: (from: number, to: number) => Buffer;
  /** Those of some tools; the list itself where that is all of them. */
  readonly pick: (isWanted: (tool: Tool) => boolean) => EntryList;
}

export interface EntrySource {
  readonly tool: Tool;
  readonly json: string;
}

/**
 * Each entry is written as it comes, so that no more than one of them is ever held as text. `room` is how many bytes will
 * do in all likelihood: what is not used of it costs no memory, what is missing a copy.
 */
export function buildEntryList(sources: Iterable<EntrySource>, room: number): EntryList {
  const tools: Tool[] = [];
  const ends: number[] = [];
  let bytes: Buffer = Buffer.allocUnsafeSlow(room);
  let length = 0;
  for (const { tool, json } of sources) {
    // A character takes three bytes at most, and the comma one.
    const most = length + json.length * 3 + 1;
    if (most > bytes.length) bytes = moved(bytes, length, Math.max(most, bytes.length * 2));
    length += bytes.write(json, length);
    bytes[length++] = COMMA;
    tools.push(tool);
    ends.push(length);
  }
  return windowOn({ tools, ends, bytes });
}

const COMMA = 0x2c;

function moved(bytes: Buffer, length: number, size: number): Buffer {
  const next = Buffer.allocUnsafeSlow(size);
  bytes.copy(next, 0, 0, length);
  return next;
}

interface Held {
  readonly tools: readonly Tool[];
  /** Where each entry ends in the bytes, its comma included. */
  readonly ends: readonly number[];
  readonly bytes: Buffer;
}

function windowOn({ tools, ends, bytes }: Held): EntryList {
  const startOf = (index: number): number => ends[index - 1] ?? 0;
  const list: EntryList = {
    tools,
    slice: (from, to) => bytes.subarray(startOf(from), Math.max(startOf(from), startOf(to) - 1)),
    pick(isWanted) {
      const wanted = tools.flatMap((tool, index) => (isWanted(tool) ? [index] : []));
      if (wanted.length === tools.length) return list;
      let length = 0;
      return windowOn({
        tools: wanted.map((index) => tools[index] as Tool),
        ends: wanted.map((index) => {
          length += startOf(index + 1) - startOf(index);
          return length;
        }),
        bytes: Buffer.concat(wanted.map((index) => bytes.subarray(startOf(index), startOf(index + 1)))),
      });
    },
  };
  return list;
}
