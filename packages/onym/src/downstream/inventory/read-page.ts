// One page of a list, entry by entry: a large page is never parsed as a whole (SAFE-4), and only entries that
// are nested too deeply or hold too many values are left out (NAME-8).

import type { Steps } from "../../mcp/fast-path/scan.js";
import { scanElements } from "../../mcp/fast-path/scan-elements.js";
import { scanMembersSteps } from "../../mcp/fast-path/scan-members.js";
import { type UnreadSource, unreadSourceOf } from "../../mcp/fast-path/unread-object.js";
import { ownValue, parseJson } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";

export interface Page {
  /** Parsed lazily; `undefined` between the steps that a large one takes. */
  readonly entries: Iterable<PageEntry | undefined>;
  readonly nextCursor: unknown;
}

export type PageEntry =
  | { readonly kind: "entry"; readonly value: unknown }
  /** `key`: the string that an entry must have, if it has one. */
  | { readonly kind: "deep"; readonly key: string | undefined }
  /** It holds more than `MAX_ENTRY_VALUES`, and is not parsed. */
  | { readonly kind: "crowded"; readonly key: string | undefined }
  /** Its text is so long that it is not parsed. */
  | { readonly kind: "large"; readonly key: string | undefined; readonly bytes: number };

export interface PageFields {
  /** The member of the result that is the list. */
  readonly field: string;
  /** The member that identifies an entry. */
  readonly key: string;
}

/**
 * Maximum values of an entry. It is parsed, compared, hashed and written in one step each: 20,000 take a few milliseconds, whatever
 * they are (SAFE-4). Smaller pages, and those that are parsed as a whole, hold no more in all.
 */
export const MAX_ENTRY_VALUES = 20_000;

/** `undefined` if the reply has no such list. Entries of twice the size that they may have are not parsed. */
export function readPage(
  reply: Reply,
  { field, key }: PageFields,
  { entryBytes }: { readonly entryBytes: number },
): Page | undefined {
  const source = sourceOf(reply);
  const list = source?.members?.get(field);
  if (source?.members !== undefined && list !== undefined) {
    const { bytes, members } = source;
    if (bytes[list.start] !== OPEN_LIST) return undefined;
    const cursor = members.get("nextCursor");
    const nextCursor =
      cursor === undefined || bytes[cursor.start] !== QUOTE
        ? undefined
        : JSON.parse(bytes.toString("utf8", cursor.start, cursor.end));
    return { entries: unreadEntries(source, list, { key, maxBytes: 2 * entryBytes }), nextCursor };
  }
  const result = reply.kind === "result" ? reply.result : {};
  const found = ownValue(result, field);
  if (!Array.isArray(found)) return undefined;
  return { entries: readEntries(found), nextCursor: ownValue(result, "nextCursor") };
}

const QUOTE = 34;
const OPEN_LIST = 91;
/** The message and its result. */
const LEVELS_AROUND = 2;

function sourceOf(reply: Reply): UnreadSource | undefined {
  if (reply.kind === "error") return reply.deepResult;
  // Only unparsed results are bytes.
  return reply.kind === "result" && typeof reply.text === "object" ? unreadSourceOf(reply.result) : undefined;
}

function* readEntries(found: readonly unknown[]): Generator<PageEntry, undefined, undefined> {
  for (const value of found) yield { kind: "entry", value };
}

function* unreadEntries(
  { bytes }: UnreadSource,
  list: { readonly start: number; readonly end: number },
  { key, maxBytes }: { readonly key: string; readonly maxBytes: number },
): Generator<PageEntry | undefined, undefined, undefined> {
  for (const element of scanElements(bytes, list, LEVELS_AROUND)) {
    if (element === undefined) {
      yield;
      continue;
    }
    const { start, end, isDeep, values } = element;
    const length = end - start;
    if (isDeep) yield { kind: "deep", key: yield* keyOf(bytes.subarray(start, end), key) };
    else if (values > MAX_ENTRY_VALUES)
      yield { kind: "crowded", key: yield* keyOf(bytes.subarray(start, end), key) };
    else if (length > maxBytes)
      yield { kind: "large", key: yield* keyOf(bytes.subarray(start, end), key), bytes: length };
    else yield { kind: "entry", value: JSON.parse(bytes.toString("utf8", start, end)) };
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Keys that are longer are not shown. */
const MAX_KEY_BYTES = 65_536;

function* keyOf(entry: Buffer, key: string): Steps<string | undefined> {
  const member = (yield* scanMembersSteps(entry, NOTHING, "any"))?.get(key);
  if (member === undefined || entry[member.start] !== QUOTE) return undefined;
  const parsed = parseJson(
    entry.toString("utf8", member.start, Math.min(member.end, member.start + MAX_KEY_BYTES)),
  );
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : undefined;
}
