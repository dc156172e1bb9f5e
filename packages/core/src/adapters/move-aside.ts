// Renames tools whose names are taken in the same request (by a provider's own tools, or handoffs).

import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";
import type { NamesOnRecord } from "../naming/assign/names-on-record.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { toolDigest } from "../naming/fit/tool-digest.js";
import type { LockedName, ProfileLock } from "../naming/lock/lock.js";
import { trimSeparators } from "../profiles/fit/cut-words.js";
import { nameRulesFor } from "../profiles/sent/name-budget.js";

/** The name that a tool has in this request instead of its name in the table. */
export interface MovedTool {
  readonly tool: Tool;
  readonly from: string;
  readonly name: string;
}

/**
 * The tools that must be renamed, by tool. All others keep their names. The new name ends with a digest of the
 * identity instead of a number, because the digest does not depend on other tools. If another tool has even that
 * name, a number follows.
 */
export function moveAside(
  table: NamingTable,
  reserved: ReadonlySet<string>,
  onRecord: NamesOnRecord,
): ReadonlyMap<ToolKey, MovedTool> {
  const moved = new Map<ToolKey, MovedTool>();
  if (reserved.size === 0) return moved;
  const { maxLength } = nameRulesFor(table.profile, table.as);
  const taken = new Set([...reserved, ...table.reserved]);
  for (const { name: from, tool } of table.tools) {
    if (!reserved.has(from)) continue;
    const isFree = (name: string): boolean =>
      !taken.has(name) && table.toolNamed(name) === undefined && onRecord.allows(name, tool.key);
    let name = "";
    for (let number = 1; name === "" || !isFree(name); number++) {
      const ending = `_${toolDigest(tool)}${number === 1 ? "" : `_${number}`}`;
      name = trimSeparators(from.slice(0, maxLength - ending.length)) + ending;
    }
    taken.add(name);
    moved.set(tool.key, { tool, from, name });
  }
  return moved;
}

/** The lock of a table with the names that its tools moved to. Each resolves only to its tool (LIB-4). */
export function lockMoved(lock: ProfileLock, moved: Iterable<MovedTool>): ProfileLock {
  const names = new Map<string, LockedName>(lock.names);
  for (const { name, tool } of moved) names.set(name, { key: tool.key, retired: "renamed" });
  return { ...lock, names };
}

export function movedProblem({ tool, from, name }: MovedTool): CatalogProblem {
  return catalogProblem({
    code: "name-reserved",
    severity: "warning",
    message: `Something else in the request is named ${quoteText(from)}, so ${quoteText(tool.canonical)} is named ${quoteText(name)} there.`,
    fix: "Rename the other one, or pin another name for this tool.",
    tools: [tool.canonical],
  });
}
