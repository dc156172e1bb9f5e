// Tools whose names others have in the same request (a provider's own tools, handoffs) get other names.

import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import type { LockedName, ProfileLock } from "../naming/lock.js";
import type { NamesOnRecord } from "../naming/names-on-record.js";
import { toolDigest } from "../naming/tool-digest.js";
import { trimSeparators } from "../profiles/cut-words.js";
import { nameRulesFor } from "../profiles/name-budget.js";

/** The name that a tool has in this request instead of the one that the table gives it. */
export interface MovedTool {
  readonly tool: Tool;
  readonly from: string;
  readonly name: string;
}

/**
 * The tools that have to give way, by tool. All others keep what the table says. A digest of the identity tells them
 * apart rather than a number, because it stays the same whatever other tools come and go; only where another tool has
 * even that name, a number follows.
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

/** The lock of a table with the names that its tools moved to: each leads to its tool, and to nobody else (LIB-4). */
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
