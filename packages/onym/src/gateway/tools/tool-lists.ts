// tools/list, ready to be sent: for each kind of caller the entries as text, made when first asked for, kept with the view.

import { createHash } from "node:crypto";
import type { NamingTable, Tool } from "@onym/core";
import { findProfile } from "@onym/core";
import type { Era } from "../../rpc/protocol.js";
import type { CallerSight } from "../guard/guard.js";
import type { NamesChoice, View } from "../view/view.js";
import { formatTool } from "./format-tool.js";

/** Many clients ask for one page only; few catalogs are larger than this. */
export const PAGE_ENTRIES = 10_000;

export interface ListChoice extends NamesChoice {
  readonly era: Era;
  /** Toolboxes whose tools are shown; `undefined`: all tools are, `none`: no tool of a downstream is. */
  readonly toolboxes: readonly string[] | undefined | "none";
  /** What the caller may see; `undefined`: everything. */
  readonly sight?: Pick<CallerSight, "key" | "sees"> | undefined;
}

interface ToolPage {
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
  const entries = new Map<string, readonly Entry[]>();
  const shown = new Map<string, readonly Entry[]>();
  const firstPages = new Map<string, ToolPage>();
  const digests = new Map<string, string>();

  const allEntries = (choice: ListChoice): readonly Entry[] => {
    const key = JSON.stringify([choice.profile.id, choice.as ?? null, choice.era]);
    const made = entries.get(key);
    if (made !== undefined) return made;
    const list = buildEntries(view, choice);
    entries.set(key, list);
    return list;
  };
  const shownEntries = (choice: ListChoice): readonly Entry[] => {
    const key = keyOf(choice);
    const made = shown.get(key);
    if (made !== undefined) return made;
    const { toolboxes } = choice;
    const all = toolboxes === "none" ? [] : allEntries(choice);
    const { sight } = choice;
    const seen = sight === undefined ? all : all.filter(({ tool }) => sight.sees(tool));
    const list = Array.isArray(toolboxes)
      ? seen.filter(({ tool }) => tool.toolbox === undefined || toolboxes.includes(tool.toolbox))
      : seen;
    shown.set(key, list);
    return list;
  };

  return {
    page(choice, cursor) {
      const key = keyOf(choice);
      const kept = cursor === undefined ? firstPages.get(key) : undefined;
      if (kept !== undefined) return kept;
      const list = shownEntries(choice);
      const start = cursor === undefined ? 0 : startAfter(list, cursor);
      if (start === undefined) return undefined;
      const slice = list.slice(start, start + PAGE_ENTRIES);
      const last = slice.at(-1);
      const page = {
        entries: slice.map(({ json }) => json).join(","),
        nextCursor:
          last !== undefined && start + PAGE_ENTRIES < list.length ? formatCursor(last.tool) : undefined,
      };
      if (cursor === undefined) firstPages.set(key, page);
      return page;
    },
    digest(choice) {
      const key = keyOf(choice);
      const known = digests.get(key);
      if (known !== undefined) return known;
      const hash = createHash("sha256");
      for (const { json } of shownEntries(choice)) hash.update(json).update("\n");
      const digest = hash.digest("base64url");
      digests.set(key, digest);
      return digest;
    },
  };
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
