// Maps a server's names of its own tools to a table's names, for texts that mention tools.

import type { NamingTable } from "@onym/core";

export type NameFinder = (
  owner: { readonly server: string; readonly toolbox: string | undefined },
  raw: string,
) => string;

/** By toolbox, server and raw name. */
type Names = Map<string | undefined, Map<string, Map<string, string>>>;

const indexes = new WeakMap<NamingTable, Names>();

/** Few texts mention tools, so the index of a table is built on first use. */
export function createNameFinder(table: NamingTable): NameFinder {
  return ({ toolbox, server }, raw) => {
    const names = indexes.get(table) ?? collectNames(table);
    indexes.set(table, names);
    return names.get(toolbox)?.get(server)?.get(raw) ?? raw;
  };
}

function collectNames({ tools }: NamingTable): Names {
  const names: Names = new Map();
  for (const { name, tool } of tools) {
    const servers = names.get(tool.toolbox) ?? new Map<string, Map<string, string>>();
    names.set(tool.toolbox, servers);
    const raws = servers.get(tool.server) ?? new Map<string, string>();
    servers.set(tool.server, raws);
    raws.set(tool.raw, name);
  }
  return names;
}
