// Quarantine: tools that a downstream added after it was first seen. What it had then is what its operator chose it for.

import { type Owner, type Tool, type ToolKey, toolKeyOf } from "@onym/core";

/** What was there when each downstream was first seen, and what was admitted since. Immutable; to be kept. */
export interface KnownTools {
  /** Downstreams that were seen, by the key that a tool without a name would have: a downstream may offer nothing. */
  readonly servers: ReadonlySet<ToolKey>;
  readonly tools: ReadonlySet<ToolKey>;
}

export const NOTHING_KNOWN: KnownTools = { servers: new Set(), tools: new Set() };

/** Whether a tool came later than its downstream. */
export function isNewTool(tool: Tool, known: KnownTools): boolean {
  return known.servers.has(serverKey(tool)) && !known.tools.has(tool.key);
}

/**
 * Takes note of downstreams that answered, with all their tools. Those of a downstream that is seen for the first time
 * are known; what one adds later is not, until it is admitted. The same value where there is nothing to note.
 */
export function noteServers(
  known: KnownTools,
  seen: readonly { readonly owner: Owner; readonly tools: readonly Tool[] }[],
): KnownTools {
  const fresh = seen.filter(({ owner }) => !known.servers.has(serverKey(owner)));
  if (fresh.length === 0) return known;
  return {
    servers: new Set([...known.servers, ...fresh.map(({ owner }) => serverKey(owner))]),
    tools: new Set([...known.tools, ...fresh.flatMap(({ tools }) => tools.map(({ key }) => key))]),
  };
}

/** Ends the quarantine of these tools for everybody. */
export function admitTools(known: KnownTools, tools: readonly ToolKey[]): KnownTools {
  return { servers: known.servers, tools: new Set([...known.tools, ...tools]) };
}

function serverKey({ server, toolbox }: Owner): ToolKey {
  return toolKeyOf({ server, toolbox, raw: "" });
}
