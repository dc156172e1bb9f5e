// The server-prefixed name: what a model sees if a builder opts in. The downstream server still gets the raw name
// (ID-8).

import { type PublicName, publicNameOf } from "../name-parts.js";

/**
 * A wish, not yet a name: the naming table makes it fit and unique. `undefined` if a part is missing.
 *
 * @example
 * prefixedNameOf({ server: "docs", raw: "search" }); // "mcp_docs__search"
 */
export function prefixedNameOf(tool: {
  readonly server: string;
  readonly raw: string;
}): PublicName | undefined {
  if (publicNameOf(tool.server) === undefined || publicNameOf(tool.raw) === undefined) return undefined;
  return publicNameOf(`mcp_${tool.server}__${tool.raw}`);
}
