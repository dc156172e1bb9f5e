// A map from spellings to the tools that claim them. Several claims are kept, because the answer is then "ambiguous".

import type { Tool } from "../catalog/tool.js";

/** One tool, or the several that claim the same text. */
export type Claim = Tool | ReadonlySet<Tool>;

export type Claims = Map<string, Tool | Set<Tool>>;

export function addClaim(claims: Claims, text: string, tool: Tool): void {
  const before = claims.get(text);
  if (before === undefined) claims.set(text, tool);
  else if (before instanceof Set) before.add(tool);
  else if (before !== tool) claims.set(text, new Set([before, tool]));
}

export function isSeveral(claim: Claim): claim is ReadonlySet<Tool> {
  return claim instanceof Set;
}
