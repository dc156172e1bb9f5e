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

/** Few names start as the forms of clients do, and seeing that costs less than asking a large map. */
export function findIn(claims: Claims): (text: string) => Claim | undefined {
  for (const text of claims.keys()) if (isClientForm(text)) return (asked) => claims.get(asked);
  return (text) => (isClientForm(text) ? undefined : claims.get(text));
}

function isClientForm(text: string): boolean {
  return text.charCodeAt(0) === 0x6d && text.startsWith("mcp_");
}

/** Everybody who claims a text in one place or another. */
export function unite(
  first: Claim | undefined,
  second: Claim | undefined,
  order?: (a: Tool, b: Tool) => number,
): Claim | undefined {
  if (first === undefined || second === undefined || first === second) return first ?? second;
  const tools = [first, second].flatMap((claim) => (isSeveral(claim) ? [...claim] : [claim]));
  return new Set(order === undefined ? tools : tools.sort(order));
}
