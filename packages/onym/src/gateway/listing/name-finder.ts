// Maps a server's names of its own tools to a table's names, for texts that mention tools.

import type { NamedTool, NamingTable, Tool } from "@onym/core";

export type NameFinder = (
  owner: { readonly server: string; readonly toolbox: string | undefined },
  raw: string,
) => string;

/** By toolbox, server and raw name. */
type Names = Map<string | undefined, Map<string, Map<string, NamedTool>>>;

const indexes = new WeakMap<NamingTable, Names>();

/**
 * Few texts mention tools, so the index of a table is built on first use. A tool that the caller does not see keeps its
 * raw name, as any other word does: another one would tell that it exists (POL-1).
 */
export function createNameFinder(
  table: NamingTable,
  visibility: { readonly sees: (tool: Tool) => boolean } | undefined,
): NameFinder {
  return ({ toolbox, server }, raw) => {
    const names = indexes.get(table) ?? collectNames(table);
    indexes.set(table, names);
    const found = names.get(toolbox)?.get(server)?.get(raw);
    return found === undefined || visibility?.sees(found.tool) === false ? raw : found.name;
  };
}

function collectNames({ tools }: NamingTable): Names {
  const names: Names = new Map();
  for (const named of tools) {
    const { tool } = named;
    const servers = names.get(tool.toolbox) ?? new Map<string, Map<string, NamedTool>>();
    names.set(tool.toolbox, servers);
    const raws = servers.get(tool.server) ?? new Map<string, NamedTool>();
    servers.set(tool.server, raws);
    raws.set(tool.raw, named);
  }
  return names;
}
