// Canonical name → tools, as the operator writes it in pins and renames: in full or without the toolbox (CANON-7).

import { type ToolKey, toolboxOfKey, toolKeyOf } from "../identity/tool-key.js";
import { withoutToolbox } from "../names/canonical-name.js";
import type { Catalog } from "./build-catalog.js";
import type { RecordedTools } from "./derive-integrations.js";
import type { Tool } from "./tool.js";

/**
 * One tool if the name is its own. A name without a toolbox gives the tools of all toolboxes that have one of that
 * name.
 */
export type CanonicalFinder = (canonical: string) => readonly Tool[];

/**
 * Built on first use, because only pins and renames need it. A name without a toolbox means nothing while a server
 * that does not answer may have a tool of that name: its meaning must not change when the server comes back. It
 * also never means a toolbox's tool if a server outside toolboxes had that integration: its tool may be gone, and
 * its name must not lead into a toolbox.
 */
export function createCanonicalFinder(
  catalog: Catalog,
  recorded: RecordedTools,
  isAbsent: (key: ToolKey) => boolean,
): CanonicalFinder {
  let known: ReadonlyMap<string, readonly Tool[]> | undefined;
  return (canonical) => {
    known ??= toolsByCanonical(catalog, recorded, isAbsent);
    return known.get(canonical) ?? [];
  };
}

function toolsByCanonical(
  { tools, servers }: Catalog,
  recorded: RecordedTools,
  isAbsent: (key: ToolKey) => boolean,
): ReadonlyMap<string, readonly Tool[]> {
  const awaited = new Set(
    servers
      .filter(({ server, toolbox }) => isAbsent(toolKeyOf({ server, toolbox, raw: "" })))
      .map(({ integration, version }) => `${integration}@${version}`),
  );
  const found = new Map<string, Tool[]>();
  for (const tool of tools) {
    if (tool.toolbox === undefined) continue;
    const text = withoutToolbox(tool.canonical);
    const same = found.get(text);
    if (same === undefined) found.set(text, [tool]);
    else same.push(tool);
  }
  for (const [text, [tool, ...others]] of found) {
    const isCertain = others.length > 0 || !awaited.has(`${tool?.integration}@${tool?.integrationVersion}`);
    if (!isCertain) found.delete(text);
  }
  const outside = outsideIntegrations(recorded);
  for (const text of found.keys()) if (outside.has(integrationIn(text))) found.delete(text);
  // A tool's own name takes precedence over another tool's name without its toolbox.
  for (const tool of tools) found.set(tool.canonical, [tool]);
  return found;
}

/**
 * Integrations (`crm@1`) of servers outside toolboxes, on record or present. A name without a toolbox means one of
 * theirs.
 */
export function outsideIntegrations(
  recorded: RecordedTools,
  servers: Catalog["servers"] = [],
): ReadonlySet<string> {
  const outside = new Set<string>();
  for (const [key, { canonical }] of recorded)
    if (toolboxOfKey(key) === undefined) outside.add(integrationIn(canonical));
  for (const { toolbox, integration, version } of servers)
    if (toolbox === undefined) outside.add(`${integration}@${version}`);
  return outside;
}

/** `crm@1` of `crm@1/get_leads@1`: the first `/` ends the integration (CANON-2). */
export function integrationIn(canonical: string): string {
  return canonical.slice(0, canonical.indexOf("/"));
}

const owners = new WeakMap<Catalog, ReadonlyMap<string, Tool>>();

/** Canonical name → its tool. Built once for all tables of a catalog. */
export function canonicalOwners(catalog: Catalog): ReadonlyMap<string, Tool> {
  const before = owners.get(catalog);
  if (before !== undefined) return before;
  const made = new Map<string, Tool>(catalog.tools.map((tool) => [tool.canonical, tool]));
  owners.set(catalog, made);
  return made;
}
