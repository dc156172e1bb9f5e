// The servers of several clients as those of one config: one launch is one server, and no two share an identity.

import { buildCatalog, canonicalJson, quoteText } from "@onym/core";
import type { ReadServer } from "./read-client-file.js";
import type { CarriedEntry } from "./server-entry-of.js";
import { startsOnym } from "./starts-onym.js";

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
}

export interface Merged {
  readonly servers: readonly MergedServer[];
  /** For each list that was passed in, what became of its entries. */
  readonly outcomes: readonly (readonly MergedEntry[])[];
  readonly notes: readonly string[];
}

export function mergeServers(lists: readonly (readonly ReadServer[])[]): Merged {
  const byLaunch = new Map<string, string>();
  const integrations = new Map<string, string>();
  const servers: MergedServer[] = [];
  const notes: string[] = [];

  const add = ({ id, carried }: ReadServer): MergedEntry => {
    if ("reason" in carried) return { outcome: "left-out", id, reason: carried.reason };
    const { entry, mentions } = carried;
    if (startsOnym(id, entry)) return { outcome: "left-out", id, reason: "it starts Onym itself" };
    const launch = launchText(entry);
    const before = byLaunch.get(launch);
    if (before !== undefined) return { outcome: "same", id, as: before };
    const as = freeId(id, integrations);
    if (as !== id) notes.push(renamed(id, as, integrations));
    byLaunch.set(launch, as);
    integrations.set(integrationOf(as), as);
    servers.push({ id: as, entry, mentions });
    for (const note of carried.notes) notes.push(`${quoteText(as)}: ${note}.`);
    return { outcome: "added", id, as };
  };
  return { outcomes: lists.map((list) => list.map(add)), servers, notes };
}

/** What decides whether two entries reach the same thing. A filter or a switch does not. */
function launchText({
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

function freeId(id: string, taken: ReadonlyMap<string, string>): string {
  if (!taken.has(integrationOf(id))) return id;
  for (let number = 2; ; number++) {
    const other = `${id}-${number}`;
    if (!taken.has(integrationOf(other))) return other;
  }
}

function renamed(id: string, as: string, taken: ReadonlyMap<string, string>): string {
  const holder = taken.get(integrationOf(id)) ?? id;
  const why =
    holder === id
      ? "was found twice, started in different ways"
      : `has the same integration as ${quoteText(holder)}`;
  return `${quoteText(id)} ${why}; the second is called ${quoteText(as)}.`;
}

/** CANON-1. */
function integrationOf(id: string): string {
  return buildCatalog([{ server: id, tools: [] }]).servers[0]?.integration ?? id;
}
