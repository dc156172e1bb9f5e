// Tools whose names others have in the same request (a provider's own tools, handoffs) get other names.

import type { ToolKey } from "../identity/tool-key.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { toolDigest } from "../naming/tool-digest.js";
import { trimSeparators } from "../profiles/cut-words.js";
import { nameRulesFor } from "../profiles/name-budget.js";

/**
 * The names of the tools that have to give way, by tool. All others keep what the table says. A digest of the identity
 * tells them apart rather than a number, because it stays the same whatever other tools come and go.
 */
export function moveAside(table: NamingTable, reserved: ReadonlySet<string>): ReadonlyMap<ToolKey, string> {
  const moved = new Map<ToolKey, string>();
  if (reserved.size === 0) return moved;
  const { maxLength } = nameRulesFor(table.profile, table.as);
  for (const { name, tool } of table.tools) {
    if (!reserved.has(name)) continue;
    const ending = `_${toolDigest(tool)}`;
    moved.set(tool.key, trimSeparators(name.slice(0, maxLength - ending.length)) + ending);
  }
  return moved;
}
