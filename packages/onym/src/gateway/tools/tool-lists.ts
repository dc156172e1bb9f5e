// tools/list, ready to be sent: for each kind of caller the entries as bytes, made when first asked for, kept with the view.

import { createHash } from "node:crypto";
import type { NamingTable, Tool } from "@onym/core";
import { findProfile } from "@onym/core";
import type { Era } from "../../rpc/protocol.js";
import type { CallerSight } from "../guard/guard.js";
import type { NamesChoice, View } from "../view/view.js";
import { buildEntryList, type EntryList, type EntrySource } from "./entry-list.js";
import { formatTool } from "./format-tool.js";
import { createRecentMap } from "./recent-map.js";

/** Many clients ask for one page only; few catalogs are larger than this. */
export const PAGE_ENTRIES = 10_000;

/** Lists that are kept ready; callers beyond them wait a moment longer. */
const MOST_LISTS = 24;

export interface ListChoice extends NamesChoice {
  readonly era: Era;
  /** Toolboxes whose tools are shown; `undefined`: all tools are, `none`: no tool of a downstream is. */
  readonly toolboxes: readonly string[] | undefined | "none";
  /** What the caller may see; `undefined`: everything. */
  readonly sight?: Pick<CallerSight, "key" | "sees"> | undefined;
}

export interface ToolPage {
  /** Entries as JSON, separated by commas. */
  readonly entries: Buffer;
  readonly nextCursor: string | undefined;
}

export interface ToolLists {
  /** One page after the cursor; `undefined` for a cursor that no list gave out. */
  readonly page: (choice: ListChoice, cursor: string | undefined) => ToolPage | undefined;
  /** The same for the same names and definitions, and for no others (GW-7). */
  readonly digest: (choice: ListChoice) => string;
}

/** `onBuilt` is told of every list that was made anew. */
export function createToolLists(view: View, onBuilt: () => void = () => {}): ToolLists {
  const lists = createRecentMap<EntryList>(MOST_LISTS);
  const shown = createRecentMap<Shown>(MOST_LISTS);

  const wholeList = (choice: ListChoice): EntryList =>
    lists.take(JSON.stringify([choice.profile.id, choice.as ?? null, choice.era]), () => {
      onBuilt();
      return buildEntryList(formatEntries(view, choice), roomFor(view));
    });
  const showEntries = (choice: ListChoice): EntryList => {
    const { toolboxes, sight } = choice;
    if (toolboxes === "none") return NOTHING;
    const isOpen = ({ toolbox }: Tool): boolean =>
      toolboxes === undefined || toolbox === undefined || toolboxes.includes(toolbox);
    return wholeList(choice).pick((tool) => sight?.sees(tool) !== false && isOpen(tool));
  };
  const shownTo = (choice: ListChoice): Shown =>
    shown.take(keyOf(choice), () => ({ list: showEntries(choice), first: undefined, digest: undefined }));

  return {
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
      const kept = shownTo(choice);
      kept.digest ??= digestOf(kept.list);
      return kept.digest;
    },
  };
}

const NOTHING = buildEntryList([], 0);

/** What one kind of caller is shown, and what was made of it. */
interface Shown {
  readonly list: EntryList;
  first: ToolPage | undefined;
  digest: string | undefined;
}

function pageFrom({ tools, slice }: EntryList, start: number): ToolPage {
  const end = Math.min(start + PAGE_ENTRIES, tools.length);
  const last = end < tools.length ? tools[end - 1] : undefined;
  return { entries: slice(start, end), nextCursor: last === undefined ? undefined : formatCursor(last) };
}

function digestOf({ tools, slice }: EntryList): string {
  return createHash("sha256").update(slice(0, tools.length)).digest("base64url");
}

/** Names and what is around them, for one entry. */
const FRAME_BYTES = 640;

function roomFor({ present, offerOf }: View): number {
  return present.reduce((sum, owner) => {
    const { tools = [], bodyLength = 0 } = offerOf(owner) ?? {};
    return sum + bodyLength + tools.length * FRAME_BYTES;
  }, 0);
}

function* formatEntries(view: View, choice: ListChoice): Iterable<EntrySource> {
  const table = view.tableOf(choice);
  const namesIn = (id: string): NameAt => {
    const profile = findProfile(id);
    if (profile === undefined) throw new Error(`the profile ${id} is built in`);
    return nameAt(view.tableOf({ profile, as: choice.as }));
  };
  const openai = namesIn("openai");
  const cursor = namesIn("cursor");
  const referred = createNameFinder(table);
  for (const [index, { name, tool }] of table.tools.entries()) {
    const owner = view.ownerOf(tool);
    const body = owner === undefined ? undefined : view.offerOf(owner)?.bodyOf(tool);
    if (body === undefined) continue;
    const json = formatTool({
      tool,
      names: { name, openai: openai(tool, index), cursor: cursor(tool, index) },
      body,
      members: choice.era === "legacy" ? body.legacyMembers : body.members,
      nameOf: (raw) => referred(tool, raw),
    });
    yield { tool, json };
  }
}

type NameAt = (tool: Tool, index: number) => string | undefined;

/** Most tables name all tools in one order: where a tool stands in one is where it stands in the other. */
function nameAt({ tools, nameOf }: NamingTable): NameAt {
  return (tool, index) => {
    const there = tools[index];
    return there?.tool === tool ? there.name : nameOf(tool);
  };
}

/** What a downstream calls one of its own tools → what this table calls it. Few texts mention any, so it waits for the first. */
export function createNameFinder(
  table: NamingTable,
): (owner: { readonly server: string; readonly toolbox: string | undefined }, raw: string) => string {
  let names: Map<string, string> | undefined;
  const key = (toolbox: string | undefined, server: string, raw: string): string =>
    JSON.stringify([toolbox ?? null, server, raw]);
  return (owner, raw) => {
    names ??= new Map(table.tools.map(({ name, tool }) => [key(tool.toolbox, tool.server, tool.raw), name]));
    return names.get(key(owner.toolbox, owner.server, raw)) ?? raw;
  };
}

function keyOf({ profile, as, era, toolboxes, sight }: ListChoice): string {
  return JSON.stringify([profile.id, as ?? null, era, toolboxes ?? null, sight?.key ?? null]);
}

/** A cursor names the last tool shown, so it holds when other tools come and go in between. */
function formatCursor(tool: Tool): string {
  return Buffer.from(tool.key).toString("base64url");
}

function startAfter({ tools }: EntryList, cursor: string): number | undefined {
  const key = Buffer.from(cursor, "base64url").toString();
  if (key === "" || Buffer.from(key).toString("base64url") !== cursor) return undefined;
  const at = tools.findIndex((tool) => tool.key === key);
  return at < 0 ? undefined : at + 1;
}
