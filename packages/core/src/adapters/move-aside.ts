// Tools whose names others have in the same request (a provider's own tools, handoffs) get other names.

import type { ToolKey } from "../identity/tool-key.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { nameRulesFor } from "../profiles/name-budget.js";

/**
 * The names of the tools that have to give way, by tool. All others keep what the table says. The lock does not help
 * here: a name that stands twice in a request makes a provider refuse the whole of it.
 */
export function moveAside(table: NamingTable, reserved: ReadonlySet<string>): ReadonlyMap<ToolKey, string> {
  const moved = new Map<ToolKey, string>();
  if (reserved.size === 0) return moved;
  const { maxLength } = nameRulesFor(table.profile, table.as);
  const given = new Set<string>();
  for (const { name, tool } of table.tools) {
    if (!reserved.has(name)) continue;
    let free = name;
    for (let number = 2; reserved.has(free) || table.has(free) || given.has(free); number++) {
      const ending = `_${number}`;
      free = name.slice(0, maxLength - ending.length) + ending;
    }
    given.add(free);
    moved.set(tool.key, free);
  }
  return moved;
}
