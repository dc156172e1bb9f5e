// The tool that a call or a search in a conversation names.

import type { ToolReference } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import type { NamespaceOf } from "./namespaces.js";

/**
 * A namespace tells tools of one name apart, so it counts before the bare name: as the namespace that the tool has here,
 * or as a server's id, in conversations of others. The synthetic one of a deferred tool is no namespace (ID-7).
 */
export function referTo(
  name: string,
  namespace: unknown,
  context: {
    readonly belt: ToolBelt;
    readonly namespaceOf: NamespaceOf;
  },
): ToolReference {
  const { belt, namespaceOf } = context;
  const reference = belt.refer(name);
  if (typeof namespace !== "string" || namespace === "" || namespace === name) return reference;
  const qualified = belt.refer(`${namespace}/${name}`).key;
  if (qualified !== undefined) return { ...reference, key: qualified };
  const entry = belt.tools.find(({ tool }) => tool.key === reference.key);
  return entry !== undefined && namespaceOf(entry.tool)?.name === namespace
    ? reference
    : { ...reference, key: undefined };
}
