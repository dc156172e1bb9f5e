// When a decision about a deferred tool may also be found under its bare name (ID-4).

import { isDeferredTopLevel, lookupKeyOfCall } from "../identity/lookup-key.js";
import type { FunctionTool } from "../identity/name-parts.js";
import { readNameParts } from "../identity/name-parts.js";
import type { ToolSet } from "../identity/tool-set.js";

/**
 * Only for a deferred top-level tool, and only while no visible bare tool has that name: the alias would be its key.
 *
 * @example
 * isBareAliasAllowed({ name: "lookup", deferred: true }, buildToolSet([{ name: "lookup" }])); // false
 */
export function isBareAliasAllowed(tool: FunctionTool, visible: ToolSet): boolean {
  const parts = readNameParts(tool);
  if (parts === undefined || !isDeferredTopLevel(tool)) return false;
  const bareKey = lookupKeyOfCall({ name: parts.name });
  return bareKey !== undefined && !visible.byKey.has(bareKey);
}
