// Quarantine: tools that a downstream added after it was first seen. What it had then is what its operator chose it for.

import type { Owner, ToolKey } from "@onym/core";

/** A tool as the store keeps it. With another launch it is another tool. */
interface SeenRow {
  readonly tool: ToolKey;
  readonly launch: string;
  readonly state: "known" | "new";
}

/** What is known of downstreams and their tools. Immutable; built again when the store has moved. */
export interface KnownTools {
  /** Not known: it came later, or nothing was kept of it yet. The one look-up of a call. */
  readonly isNew: (tool: ToolKey, launch: string) => boolean;
  /** It is on record, as known or as new. */
  readonly isNoted: (tool: ToolKey, launch: string) => boolean;
  /** It has listed in full once, however it was reached. */
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
