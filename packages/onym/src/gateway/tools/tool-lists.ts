// tools/list, ready to be sent: for each kind of caller the entries as text, made when first asked for, kept with the view.

import { createHash } from "node:crypto";
import type { NamingTable, Tool } from "@onym/core";
import { findProfile } from "@onym/core";
import type { Era } from "../../rpc/protocol.js";
import type { CallerSight } from "../guard/guard.js";
import type { NamesChoice, View } from "../view/view.js";
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
  /** Entries, separated by commas. */
  readonly entries: string;
  readonly nextCursor: string | undefined;
}

export interface ToolLists {
  /** One page after the cursor; `undefined` for a cursor that no list gave out. */
  readonly page: (choice: ListChoice, cursor: string | undefined) => ToolPage | undefined;
  /** The same for the same names and definitions, and for no others (GW-7). */
  readonly digest: (choice: ListChoice) => string;
}

interface Entry {
  readonly tool: Tool;
  readonly json: string;
}

export function createToolLists(view: View): ToolLists {
  const entries = createRecentMap<readonly Entry[]>(MOST_LISTS);
  const shown = createRecentMap<Shown>(MOST_LISTS);

  const allEntries = (choice: ListChoice): readonly Entry[] =>
    entries.take(JSON.stringify([choice.profile.id, choice.as ?? null, choice.era]), () =>
      buildEntries(view, choice),
    );
  const showEntries = (choice: ListChoice): readonly Entry[] => {
    const { toolboxes, sight } = choice;
    if (toolboxes === "none") return [];
    const all = allEntries(choice);
    const seen = sight === undefined ? all : all.filter(({ tool }) => sight.sees(tool));
    return Array.isArray(toolboxes)
      ? seen.filter(({ tool }) => tool.toolbox === undefined || toolboxes.includes(tool.toolbox))
      : seen;
  };
  const shownTo = (choice: ListChoice): Shown =>
    shown.take(keyOf(choice), () => ({ entries: showEntries(choice), first: undefined, digest: undefined }));

  return {
    page(choice, cursor) {
      const list = shownTo(choice);
      if (cursor === undefined) {
        list.first ??= pageFrom(list.entries, 0);
        return list.first;
      }
      const start = startAfter(list.entries, cursor);
      return start === undefined ? undefined : pageFrom(list.entries, start);
    },
    digest(choice) {
      const list = shownTo(choice);
      list.digest ??= digestOf(list.entries);
      return list.digest;
    },
  };
}

/** What one kind of caller is shown, and what was made of it. */
interface Shown {
  readonly entries: readonly Entry[];
  first: ToolPage | undefined;
  digest: string | undefined;
}

function pageFrom(entries: readonly Entry[], start: number): ToolPage {
  const slice = entries.slice(start, start + PAGE_ENTRIES);
  const last = slice.at(-1);
  const hasMore = last !== undefined && start + PAGE_ENTRIES < entries.length;
  return {
    entries: slice.map(({ json }) => json).join(","),
    nextCursor: hasMore ? formatCursor(last.tool) : undefined,
  };
}

function digestOf(entries: readonly Entry[]): string {
  const hash = createHash("sha256");
  for (const { json } of entries) hash.update(json).update("\n");
  return hash.digest("base64url");
}

function buildEntries(view: View, choice: ListChoice): readonly Entry[] {
  const table = view.tableOf(choice);
  const namesIn = (id: string): NamingTable => {
    const profile = findProfile(id);
    if (profile === undefined) throw new Error(`the profile ${id} is built in`);
    return view.tableOf({ profile, as: choice.as });
  };
  const openai = namesIn("openai");
  const cursor = namesIn("cursor");
  const referred = createNameFinder(table);
  const list: Entry[] = [];
  for (const { name, tool } of table.tools) {
    const owner = view.ownerOf(tool);
    const body = owner === undefined ? undefined : view.offerOf(owner)?.bodyOf(tool);
    if (body === undefined) continue;
    list.push({
      tool,
      json: formatTool({
        tool,
        names: { name, openai: openai.nameOf(tool), cursor: cursor.nameOf(tool) },
        body,
        members: choice.era === "legacy" ? body.legacyMembers : body.members,
        nameOf: (raw) => referred(tool, raw),
      }),
    });
  }
  return list;
}

/** What a downstream calls one of its own tools → what this table calls it. */
export function createNameFinder(
  table: NamingTable,
): (owner: { readonly server: string; readonly toolbox: string | undefined }, raw: string) => string {
  const names = new Map<string, string>();
  const key = (toolbox: string | undefined, server: string, raw: string): string =>
    JSON.stringify([toolbox ?? null, server, raw]);
  for (const { name, tool } of table.tools) names.set(key(tool.toolbox, tool.server, tool.raw), name);
  return (owner, raw) => names.get(key(owner.toolbox, owner.server, raw)) ?? raw;
}

function keyOf({ profile, as, era, toolboxes, sight }: ListChoice): string {
  return JSON.stringify([profile.id, as ?? null, era, toolboxes ?? null, sight?.key ?? null]);
}

/** A cursor names the last tool shown, so it holds when other tools come and go in between. */
function formatCursor(tool: Tool): string {
  return Buffer.from(tool.key).toString("base64url");
}

function startAfter(list: readonly Entry[], cursor: string): number | undefined {
  const key = Buffer.from(cursor, "base64url").toString();
  if (key === "" || Buffer.from(key).toString("base64url") !== cursor) return undefined;
  const at = list.findIndex(({ tool }) => tool.key === key);
  return at < 0 ? undefined : at + 1;
}
