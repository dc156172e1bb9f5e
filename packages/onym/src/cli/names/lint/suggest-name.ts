// One name for a tool that is right in every client: not one for each rule that its name breaks.

import { aliasTools, type Tool } from "@onym/core";

/**
 * What to call some of the tools instead, by the rules that are safe everywhere (`universal`). No two tools of a server get one
 * name, and none a name that another has. A name in another script gets none: only its author can translate it.
 */
export function suggestNames(tools: readonly Tool[], faulty: readonly Tool[]): ReadonlyMap<Tool, string> {
  const suggestions = new Map<Tool, string>();
  const wanted = new Set(faulty);
  for (const group of byServer(tools).values()) {
    if (!group.some((tool) => wanted.has(tool))) continue;
    const safe = aliasTools(
      group.map(({ raw }) => ({ name: raw })),
      { profile: "universal" },
    );
    for (const tool of group.filter((one) => wanted.has(one) && /[A-Za-z]/.test(one.raw))) {
      const name = safe.find(tool.raw)?.name;
      if (name !== undefined && name !== tool.raw) suggestions.set(tool, name);
    }
  }
  return suggestions;
}

function byServer(tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const key = JSON.stringify([tool.toolbox, tool.server]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tool]);
    else group.push(tool);
  }
  return groups;
}
