// The tool that a call or a search in a conversation names.

import type { ToolReference } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";

/** A name that says nothing here may still be known by its namespace: the server's id, in conversations of others. */
export function referTo(name: string, namespace: unknown, belt: ToolBelt): ToolReference {
  const reference = belt.refer(name);
  if (reference.key !== undefined || typeof namespace !== "string" || namespace === name) return reference;
  return { ...reference, key: belt.refer(`${namespace}/${name}`).key };
}
