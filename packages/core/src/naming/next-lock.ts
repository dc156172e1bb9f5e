// The lock after a table was built: what was given stays, what is new is added, what is gone is retired (LOCK-1).

import type { Catalog } from "../catalog/build-catalog.js";
import type { Tool, ToolDefinition } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import type { NamedTool } from "./assign-names.js";
import type { NamingTable } from "./build-naming-table.js";
import type { Lock, LockedName, LockedTool, ProfileLock } from "./lock.js";
import type { NamingStyle } from "./style.js";

export function nextProfileLock(input: {
  readonly before: ProfileLock | undefined;
  readonly named: readonly NamedTool[];
  readonly toolNamed: (name: string) => Tool | undefined;
  readonly style: NamingStyle;
  /** Belongs to a downstream that was not asked: its names stay as they are. */
  readonly isAbsent: (key: ToolKey) => boolean;
}): ProfileLock {
  const names = new Map<string, LockedName>();
  const isRestyled = input.before !== undefined && input.before.style !== input.style;
  let present: Set<ToolKey> | undefined;
  for (const [name, entry] of input.before?.names ?? []) {
    const { key, retired } = entry;
    if (input.toolNamed(name)?.key === key) {
      names.set(name, retired === undefined ? entry : { key });
      continue;
    }
    present ??= new Set(input.named.map(({ tool }) => tool.key));
    // In another style, tools that are away have new names when they come back; these still lead to them.
    if (present.has(key) || isRestyled) names.set(name, { key, retired: "renamed" });
    else if (retired !== undefined || input.isAbsent(key)) names.set(name, entry);
    else names.set(name, { key, retired: "removed" });
  }
  // Those of the lock that are in force stand already.
  for (const { name, tool } of input.named) {
    const entry = names.get(name);
    if (entry?.key !== tool.key || entry.retired !== undefined) names.set(name, { key: tool.key });
  }
  return { style: input.style, names };
}

/**
 * Records what the tables gave out. Profiles that are not among them keep what they had.
 * `digestOf` is asked once per tool, because the digest of a definition is the caller's to compute and to cache.
 */
export function nextLock(
  before: Lock,
  catalog: Catalog,
  tables: readonly NamingTable[],
  digestOf: (definition: ToolDefinition) => string,
): Lock {
  const profiles = new Map(before.profiles);
  for (const table of tables) profiles.set(table.lockKey, table.nextLock());
  const tools = new Map<ToolKey, LockedTool>(before.tools);
  for (const { key, canonical, definition } of catalog.tools) {
    const successor = tools.get(key)?.successor;
    tools.set(key, {
      canonical,
      digest: digestOf(definition),
      ...(successor === undefined ? {} : { successor }),
    });
  }
  return { profiles, tools };
}
