// Names in a lock that replicas share: which are not recorded yet, and which part of a table is.
//
// A replica adds and moves names, but never retires them as removed: it cannot know whether a missing tool is
// gone or only unreachable from here. Either way the name stays reserved for its tool.

import type { Lock, LockedName, LockedTool, NamingTable, Snapshot, Tool, ToolKey } from "@onym/core";
import { digestOf } from "./name-lock.js";

/** `stale`: the tables were built before colliding names arrived. */
export type NameDraft =
  | { readonly kind: "recorded" }
  | { readonly kind: "stale" }
  | { readonly kind: "lacking"; readonly next: Lock };

/** The lock that must be written before the names of these tables may be shown. */
export function draftNames(tables: Iterable<NamingTable>, snapshot: Snapshot, lock: Lock): NameDraft {
  const tools = draftTools(snapshot, lock);
  const profiles = new Map(lock.profiles);
  const carried = snapshot.followRenames(lock).profiles;
  for (const table of tables) {
    const before = profiles.get(table.lockKey);
    const owners = carried.get(table.lockKey)?.names;
    if (table.tools.some(({ name, tool }) => (owners?.get(name)?.key ?? tool.key) !== tool.key))
      return { kind: "stale" };
    const isRestyled = before !== undefined && before.style !== table.style;
    // A replica whose server was rolled back uses the successor's names for now, and leaves them recorded as
    // they are.
    const fresh = table.tools.filter(({ name, tool }) => {
      const known = before?.names.get(name);
      if (known === undefined || (isRestyled && known.retired !== undefined)) return true;
      return known.key !== tool.key && isSuccessor(tool.key, known.key, tools);
    });
    if (fresh.length === 0 && !isRestyled) continue;
    const names = new Map<string, LockedName>(before?.names);
    const renamed = new Set(fresh.map(({ tool }) => tool.key));
    for (const [name, { key }] of names) {
      const owner = owners?.get(name)?.key ?? key;
      if (renamed.has(owner)) names.set(name, { key: owner, retired: "renamed" });
      else if (isRestyled && table.toolNamed(name)?.key !== owner)
        names.set(name, { key, retired: "renamed" });
    }
    for (const { name, tool } of fresh) names.set(name, { key: tool.key });
    profiles.set(table.lockKey, { style: table.style, names });
  }
  const isSame =
    [...profiles].every(([id, profile]) => lock.profiles.get(id) === profile) &&
    [...tools].every(([key, tool]) => lock.tools.get(key) === tool);
  return isSame ? { kind: "recorded" } : { kind: "lacking", next: { profiles, tools } };
}

function draftTools(snapshot: Snapshot, lock: Lock): Lock["tools"] {
  const tools = new Map<ToolKey, LockedTool>(lock.tools);
  for (const { key, canonical, definition } of snapshot.catalog.tools) {
    const known = tools.get(key);
    const digest = digestOf(definition);
    if (known?.canonical !== canonical || known.digest !== digest)
      tools.set(key, { ...known, canonical, digest });
  }
  return snapshot.recordRenames(tools);
}

function isSuccessor(key: ToolKey, former: ToolKey, tools: Lock["tools"]): boolean {
  const seen = new Set<ToolKey>();
  for (
    let at = tools.get(former)?.successor;
    at !== undefined && !seen.has(at);
    at = tools.get(at)?.successor
  ) {
    if (at === key) return true;
    seen.add(at);
  }
  return false;
}

/** The table without the tools whose names are not recorded; the table itself if all are. */
export function recordedPart(table: NamingTable, lock: Lock): NamingTable {
  const names = lock.profiles.get(table.lockKey)?.names;
  const tools = table.tools.filter(({ name, tool }) => names?.get(name)?.key === tool.key);
  if (tools.length === table.tools.length) return table;
  const indexes = new Map(tools.map(({ name }, index) => [name, index]));
  const byTool = new Map(tools.map(({ name, tool }) => [tool, name]));
  const toolNamed = (name: string): Tool | undefined => tools[indexes.get(name) ?? -1]?.tool;
  return {
    ...table,
    tools,
    toolNamed,
    nameOf: (tool) => byTool.get(tool),
    indexOf: (name) => indexes.get(name),
  };
}

/**
 * Whether a lock holds names that the other does not. Digests and retirements do not change what a table
 * shows.
 */
export function hasNewNames(before: Lock, after: Lock): boolean {
  for (const [id, { names }] of after.profiles) {
    const known = before.profiles.get(id)?.names;
    for (const [name, { key }] of names) if (known?.get(name)?.key !== key) return true;
  }
  return false;
}
