// The servers of several clients as those of one config: one launch is one server, and no two share an identity.

import { quoteText } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import { buildCatalog } from "@onym/core/naming";
import { startsOnym } from "../config/files/onym-entry.js";
import type { ReadServer } from "./read-client-file.js";
import type { CarriedEntry } from "./server-entry-of.js";
import type { Toolbox } from "./server-maps.js";

/** What became of one entry of one file. */
export type MergedEntry =
  | { readonly outcome: "added"; readonly id: string; readonly as: string }
  /** Started or connected to in the same way as one before. */
  | { readonly outcome: "same"; readonly id: string; readonly as: string }
  | { readonly outcome: "left-out"; readonly id: string; readonly reason: string };

export interface MergedServer {
  readonly id: string;
  readonly entry: CarriedEntry;
  readonly mentions: readonly string[];
  /** Raw names, and what the file had those tools shown as. */
  readonly shownAs?: readonly (readonly [raw: string, shown: string])[] | undefined;
  /** All its tools are among the mentions. */
  readonly isListed?: boolean;
  /** One server may be in several: separate names, separate connections (BOX-7). */
  readonly toolbox?: Toolbox | undefined;
}

export interface Merged {
  readonly servers: readonly MergedServer[];
  /** For each list that was passed in, what became of its entries. */
  readonly outcomes: readonly (readonly MergedEntry[])[];
  readonly notes: readonly string[];
}

/** @param idBefore The id that a launch had before, which it gets again unless its user has called it otherwise since. */
export function mergeServers(
  lists: readonly (readonly ReadServer[])[],
  idBefore: (launch: string) => string | undefined = () => undefined,
): Merged {
  const byLaunch = new Map<string, MergedServer>();
  const integrations = new Map<string, string>();
  const servers: MergedServer[] = [];
  const notes: string[] = [];

  const add = ({ id, carried, toolbox }: ReadServer): MergedEntry => {
    if ("reason" in carried) return { outcome: "left-out", id, reason: carried.reason };
    const { entry, mentions, shownAs } = carried;
    if (startsOnym(id, entry)) return { outcome: "left-out", id, reason: "it starts Onym itself" };
    if (toolbox !== undefined) {
      servers.push({ id, entry, mentions, toolbox });
      for (const note of carried.notes) notes.push(`${quoteText(`${toolbox.id} / ${id}`)}: ${note}.`);
      return { outcome: "added", id, as: id };
    }
    const launch = launchText(entry);
    const before = byLaunch.get(launch);
    if (before !== undefined) {
      if (!hasSameFilters(entry, before.entry)) notes.push(otherFilters(id, before.id));
      if (entry.disabled !== before.entry.disabled) notes.push(otherSwitch(id, before));
      return { outcome: "same", id, as: before.id };
    }
    const kept = idBefore(launch);
    const isKept = kept !== undefined && isNumbered(kept, id) && !integrations.has(integrationOf(kept));
    const as = isKept ? kept : freeId(id, integrations);
    if (as !== id) notes.push(isKept ? asBefore(id, as) : renamed(id, as, integrations));
    integrations.set(integrationOf(as), as);
    const merged = { id: as, entry, mentions, shownAs };
    byLaunch.set(launch, merged);
    servers.push(merged);
    for (const note of carried.notes) notes.push(`${quoteText(as)}: ${note}.`);
    return { outcome: "added", id, as };
  };
  return { outcomes: lists.map((list) => list.map(add)), servers, notes };
}

/** What decides whether two entries reach the same thing. A filter or a switch does not. */
export function launchText({
  command,
  args = [],
  env = {},
  envFile,
  cwd,
  url,
  headers = {},
  type,
  tools,
}: CarriedEntry) {
  const parts = [command, args, env, envFile, cwd, url, headers, type, tools];
  return canonicalJson(parts.map((part) => part ?? null));
}

function hasSameFilters(one: CarriedEntry, other: CarriedEntry): boolean {
  return canonicalJson(one.toolFilters ?? null) === canonicalJson(other.toolFilters ?? null);
}

function otherFilters(id: string, kept: string): string {
  return `${quoteText(id)} was found twice, with other tools shown; the filters of the first are kept, see "toolFilters" of ${quoteText(kept)}.`;
}

function otherSwitch(id: string, { id: kept, entry }: MergedServer): string {
  const now = entry.disabled === true ? "it stays disabled" : "it is not disabled now";
  return `${quoteText(id)} was found twice, disabled in one place only; ${now}, see "disabled" of ${quoteText(kept)}.`;
}

function freeId(id: string, taken: ReadonlyMap<string, string>): string {
  if (!taken.has(integrationOf(id))) return id;
  for (let number = 2; ; number++) {
    const other = `${id}-${number}`;
    if (!taken.has(integrationOf(other))) return other;
  }
}

/** `tickets-2` for `tickets`, or `tickets` itself. */
function isNumbered(text: string, id: string): boolean {
  return text === id || (text.startsWith(`${id}-`) && /^\d+$/.test(text.slice(id.length + 1)));
}

function asBefore(id: string, as: string): string {
  return `${quoteText(id)} is called ${quoteText(as)}, as it was before.`;
}

function renamed(id: string, as: string, taken: ReadonlyMap<string, string>): string {
  const holder = taken.get(integrationOf(id)) ?? id;
  const why =
    holder === id
      ? "was found twice, started in different ways (another command, argument or variable)"
      : `has the same integration as ${quoteText(holder)}`;
  return `${quoteText(id)} ${why}; the second is called ${quoteText(as)}.`;
}

/** CANON-1. */
function integrationOf(id: string): string {
  return buildCatalog([{ server: id, tools: [] }]).servers[0]?.integration ?? id;
}
