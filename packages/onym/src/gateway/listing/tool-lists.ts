// tools/list, ready to send: the entries as bytes for each kind of caller, built on first use and kept with
// the view.

import { createHash } from "node:crypto";
import type { Tool } from "@onym/core";
import type { Era } from "../../mcp/protocol.js";
import {
  MANY_TOOLS,
  runAtOnce,
  runInSlices,
  SharedTurn,
  type SlicedFor,
  type Steps,
} from "../../model/run-slices.js";
import type { GatewaySnapshot, NamesChoice } from "../catalog/gateway-snapshot.js";
import { setBounded } from "../set-bounded.js";
import type { Visibility } from "../visibility/visibility.js";
import { buildToolList, pickSteps, roomFor, type ToolList, toolListSteps } from "./build-tool-list.js";
import { buildEntryList, type EntryList } from "./entry-list.js";

/** Many clients fetch only one page; few catalogs are larger than this. */
export const PAGE_ENTRIES = 10_000;

/** Cached lists; callers beyond them wait a little longer. */
const MAX_LISTS = 24;
/** Their bytes, beyond which only the two most recent are kept: each may have all that servers list. */
export const MAX_LIST_BYTES = 128 * 1024 * 1024;
const MIN_LISTS = 2;
/** Digests, which outlive their lists: more kinds of callers may be told of a change than lists are kept. */
const MAX_DIGESTS = 1_000;

export interface ListChoice extends NamesChoice {
  readonly era: Era;
  /** Toolboxes whose tools are shown; `undefined`: all tools, `none`: no tool of any server. */
  readonly toolboxes: readonly string[] | undefined | "none";
  /** What the caller may see; `undefined`: everything. */
  readonly visibility?: Pick<Visibility, "key" | "sees"> | undefined;
}

export interface ToolPage {
  /** Entries as JSON, separated by commas. */
  readonly entries: Buffer;
  readonly nextCursor: string | undefined;
}

export interface ToolLists {
  /**
   * Builds in slices what `page` and `digest` need for this kind of caller in a large catalog (SAFE-4).
   * `undefined` if it is ready or quick to build.
   */
  readonly prepare: (choice: ListChoice) => Promise<void> | undefined;
  /** The same for `digest` alone, whatever the size of the catalog. */
  readonly prepareDigest: (choice: ListChoice) => Promise<void> | undefined;
  /** One page after the cursor; `undefined` for a cursor that no list issued. */
  readonly page: (choice: ListChoice, cursor: string | undefined) => ToolPage | undefined;
  /** Equal exactly for equal names and definitions (GW-7). */
  readonly digest: (choice: ListChoice) => string;
}

export function createToolLists(snapshot: GatewaySnapshot): ToolLists {
  const lists = createRecentMap<ToolList>(({ entries }) => entries.bytes);
  const shown = createRecentMap<Shown>(({ list }) => list.bytes);

  const making = new Map<string, { readonly made: Promise<void>; readonly turn: SharedTurn }>();
  const isLarge = snapshot.tools.catalog.tools.length >= MANY_TOOLS || roomFor(snapshot) >= LARGE_BYTES;

  const wholeList = (choice: ListChoice): ToolList => {
    const id = listId(choice);
    return lists.take(id, () => {
      const made = lists.recent();
      const list = buildToolList({ snapshot, choice, id, made });
      return list;
    });
  };
  const shownKey = (wholeId: string, { toolboxes, visibility }: ListChoice): string =>
    JSON.stringify([wholeId, toolboxes ?? null, visibility?.key ?? null]);
  const shownSteps = function* (
    { toolboxes, visibility }: ListChoice,
    whole: ToolList | undefined,
  ): Steps<Shown> {
    if (whole === undefined) return { list: NOTHING, first: undefined };
    const isShown = (tool: Tool): boolean =>
      visibility?.sees(tool) !== false &&
      (toolboxes === undefined || tool.toolbox === undefined || toolboxes.includes(tool.toolbox));
    const list = yield* pickSteps(snapshot, whole, isShown, visibility);
    return { list, first: undefined };
  };
  const shownTo = (choice: ListChoice): Shown => {
    const whole = choice.toolboxes === "none" ? undefined : wholeList(choice);
    return shown.take(shownKey(whole?.id ?? choice.era, choice), () => runAtOnce(shownSteps(choice, whole)));
  };

  const digests = new Map<string, string>();
  const digestKey = (choice: ListChoice): string =>
    shownKey(choice.toolboxes === "none" ? choice.era : listId(choice), choice);
  const keepDigest = (choice: ListChoice, digest: string): string => {
    setBounded(digests, digestKey(choice), digest, MAX_DIGESTS);
    return digest;
  };

  const isReady = (choice: ListChoice): boolean =>
    lists.has(listId(choice)) &&
    shown.has(shownKey(wholeList(choice).id, choice)) &&
    digests.has(digestKey(choice));

  const make = async (choice: ListChoice, whom: SlicedFor): Promise<void> => {
    const id = listId(choice);
    const made = lists.recent();
    const built = lists.has(id)
      ? undefined
      : await runInSlices(toolListSteps({ snapshot, choice, id, made }), whom);
    const whole = built === undefined ? wholeList(choice) : lists.take(id, () => built);
    const key = shownKey(whole.id, choice);
    const picked = shown.has(key) ? undefined : await runInSlices(shownSteps(choice, whole), whom);
    const kept = picked === undefined ? shownTo(choice) : shown.take(key, () => picked);
    if (!digests.has(digestKey(choice))) keepDigest(choice, await runInSlices(digestSteps(kept.list), whom));
    // Others made meanwhile may have taken its place, and the caller reads it next.
    lists.take(id, () => whole);
    shown.take(key, () => kept);
  };

  const makeOnce = (choice: ListChoice): Promise<void> => {
    const key = digestKey(choice);
    const known = making.get(key);
    known?.turn.join(choice.callerKey);
    if (known !== undefined) return known.made;
    const turn = new SharedTurn(choice);
    const made = make(choice, turn).finally(() => making.delete(key));
    making.set(key, { made, turn });
    return made;
  };

  return {
    prepare: (choice) =>
      choice.toolboxes === "none" || !isLarge || isReady(choice) ? undefined : makeOnce(choice),
    prepareDigest: (choice) =>
      choice.toolboxes === "none" || digests.has(digestKey(choice)) ? undefined : makeOnce(choice),
    page(choice, cursor) {
      const kept = shownTo(choice);
      if (cursor === undefined) {
        kept.first ??= pageFrom(kept.list, 0);
        return kept.first;
      }
      const start = startAfter(kept.list, cursor);
      return start === undefined ? undefined : pageFrom(kept.list, start);
    },
    digest(choice) {
      return (
        digests.get(digestKey(choice)) ?? keepDigest(choice, runAtOnce(digestSteps(shownTo(choice).list)))
      );
    },
  };
}

/** Lists of at least this many bytes are built in slices, however few tools they have. */
const LARGE_BYTES = 1024 * 1024;

const NOTHING = buildEntryList([], 0);

/** What one kind of caller is shown, and what was derived from it. */
interface Shown {
  readonly list: EntryList;
  first: ToolPage | undefined;
}

function pageFrom({ tools, slice }: EntryList, start: number): ToolPage {
  const end = Math.min(start + PAGE_ENTRIES, tools.length);
  const last = end < tools.length ? tools[end - 1] : undefined;
  return { entries: slice(start, end), nextCursor: last === undefined ? undefined : formatCursor(last) };
}

function listId({ profile, as, era }: ListChoice): string {
  return JSON.stringify([profile.id, as ?? null, era]);
}

/** Bytes hashed per step. */
const STEP_BYTES = 1024 * 1024;

function* digestSteps({ tools, slice }: EntryList): Steps<string> {
  const digest = createHash("sha256");
  const bytes = slice(0, tools.length);
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    digest.update(bytes.subarray(at, at + STEP_BYTES));
    yield;
  }
  return digest.digest("base64url");
}

/** A cursor names the last tool shown, so it stays valid when other tools come and go. */
function formatCursor(tool: Tool): string {
  return Buffer.from(tool.key).toString("base64url");
}

function startAfter({ tools }: EntryList, cursor: string): number | undefined {
  const key = Buffer.from(cursor, "base64url").toString();
  if (key === "" || Buffer.from(key).toString("base64url") !== cursor) return undefined;
  const at = tools.findIndex((tool) => tool.key === key);
  return at < 0 ? undefined : at + 1;
}

export interface RecentMap<V> {
  /** The cached value of a key, built if it is missing. */
  readonly take: (key: string, make: () => V) => V;
  readonly has: (key: string) => boolean;
  /** The cached value, which is then the most recent one. */
  readonly get: (key: string) => V | undefined;
  /** All cached values, most recent first. */
  readonly recent: () => readonly V[];
}

/** Limited in number and bytes; values may share their bytes. Two are always kept, so that two kinds of callers can alternate. */
export function createRecentMap<V extends object>(
  bytesOf: (value: V) => Uint8Array,
  max = MAX_LISTS,
): RecentMap<V> {
  const kept = new Map<string, V>();
  const size = (): number => {
    const held = new Set([...kept.values()].map(bytesOf));
    return [...held].reduce((sum, { length }) => sum + length, 0);
  };
  const dropOldest = (): void => {
    for (const key of kept.keys()) {
      if (kept.size <= max && (kept.size <= MIN_LISTS || size() <= MAX_LIST_BYTES)) return;
      kept.delete(key);
    }
  };
  const get = (key: string): V | undefined => {
    const known = kept.get(key);
    if (known === undefined) return undefined;
    // The most recent one is last.
    kept.delete(key);
    kept.set(key, known);
    return known;
  };
  return {
    get,
    take(key, make) {
      const known = get(key);
      if (known !== undefined) return known;
      const value = make();
      kept.set(key, value);
      dropOldest();
      return value;
    },
    has: (key) => kept.has(key),
    recent: () => [...kept.values()].reverse(),
  };
}
