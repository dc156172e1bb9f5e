// Quarantine: tools that a server added after it was first seen. The operator chose the server for the tools it had
// then.

import type { Owner, ToolKey } from "@onym/core";

/** A tool as the store keeps it. With another launch it is another tool. */
interface SeenRow {
  readonly tool: ToolKey;
  readonly launch: string;
  readonly state: "known" | "new";
}

/** The known servers and tools. Immutable; rebuilt when the store changes. */
export interface KnownTools {
  /** The tool is not known: it was added later, or nothing is stored about it yet. A call does only this lookup. */
  readonly isNew: (tool: ToolKey, launch: string) => boolean;
  /** The tool is stored, as known or as new. */
  readonly isNoted: (tool: ToolKey, launch: string) => boolean;
  /** The server has listed its tools completely once, with any launch. */
  readonly isSeen: (owner: Owner) => boolean;
}

/**
 * @example
 * buildKnownTools({ servers: [], tools: [] }).isNew(tool.key, launch); // true
 */
export function buildKnownTools(stored: {
  readonly servers: readonly Owner[];
  readonly tools: readonly SeenRow[];
}): KnownTools {
  const servers = new Set(stored.servers.map(ownerText));
  const byLaunch = new Map<string, Map<ToolKey, SeenRow["state"]>>();
  for (const { tool, launch, state } of stored.tools)
    byLaunch.set(launch, (byLaunch.get(launch) ?? new Map<ToolKey, SeenRow["state"]>()).set(tool, state));
  return {
    isNew: (tool, launch) => byLaunch.get(launch)?.get(tool) !== "known",
    isNoted: (tool, launch) => byLaunch.get(launch)?.has(tool) === true,
    isSeen: (owner) => servers.has(ownerText(owner)),
  };
}

function ownerText({ server, toolbox }: Owner): string {
  return JSON.stringify([toolbox ?? null, server]);
}
