// Whose tool a problem of the catalog is about.

import type { CatalogProblem } from "@onym/core";
import type { Config } from "../config/config.js";
import { showOwner } from "./show-owner.js";

/** Problems name a server and a tool, which several toolboxes may have; those that list it twice come in their order. */
export function ownerFinder({ servers }: Config): (problem: CatalogProblem) => string | undefined {
  const owners = new Map<string, string[]>();
  for (const { source } of servers) {
    const seen = new Set<string>();
    const told = new Set<string>();
    for (const tool of source.toolbox === undefined ? [] : source.tools) {
      const raw = typeof tool === "string" ? tool : tool.name;
      const id = `${source.server}/${raw}`;
      if (seen.has(raw) && !told.has(raw)) {
        told.add(raw);
        owners.set(id, [...(owners.get(id) ?? []), showOwner({ ...source, toolbox: source.toolbox, raw })]);
      }
      seen.add(raw);
    }
  }
  return ({ code, tools: [id = ""] }) => (code === "duplicate-tool" ? owners.get(id)?.shift() : undefined);
}
