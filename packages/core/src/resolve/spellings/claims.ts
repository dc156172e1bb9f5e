// A map from spellings to the tools that claim them. Keeps several claims, because then the text is ambiguous.

import type { Tool } from "../../catalog/tool.js";

/** One tool, or the set of tools that claim the same text. */
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

export function isClaimedBy(tool: Tool, claim: Claim | undefined): boolean {
  return claim !== undefined && (isSeveral(claim) ? claim.has(tool) : claim === tool);
}

/** The map is usually empty, and checking its size is cheaper than a lookup. */
export function lookUp<T>(map: ReadonlyMap<string, T>, text: string): T | undefined {
  return map.size === 0 ? undefined : map.get(text);
}

/** Few names start like a client's form, and checking that is cheaper than a lookup in a large map. */
export function findIn(claims: Claims): (text: string) => Claim | undefined {
  for (const text of claims.keys()) if (isClientForm(text)) return (asked) => claims.get(asked);
  return (text) => (isClientForm(text) ? undefined : claims.get(text));
}

function isClientForm(text: string): boolean {
  return text.charCodeAt(0) === 0x6d && text.startsWith("mcp_");
}

/** The same for canonical names: all end in a version, and hardly any starts with a capital. */
export function findCanonicalIn(claims: Claims): (text: string) => Claim | undefined {
  const capitals = [...claims.keys()].some(startsWithCapital);
  return (text) =>
    endsWithVersion(text) && (capitals || !startsWithCapital(text)) ? claims.get(text) : undefined;
}

function startsWithCapital(text: string): boolean {
  const unit = text.charCodeAt(0);
  return unit >= 0x41 && unit <= 0x5a;
}

function endsWithVersion(text: string): boolean {
  let at = text.length - 1;
  for (let unit = text.charCodeAt(at); unit >= 0x30 && unit <= 0x39; unit = text.charCodeAt(at)) at--;
  return at < text.length - 1 && text.charCodeAt(at) === 0x40;
}

/** All tools that claim a text in either place. */
export function unite(
  first: Claim | undefined,
  second: Claim | undefined,
  order?: (a: Tool, b: Tool) => number,
): Claim | undefined {
  if (first === undefined || second === undefined || first === second) return first ?? second;
  const tools = [first, second].flatMap((claim) => (isSeveral(claim) ? [...claim] : [claim]));
  return new Set(order === undefined ? tools : tools.sort(order));
}

/** The tools of a claim that count; `undefined` if none does. */
export function narrow(claim: Claim | undefined, counts: (tool: Tool) => boolean): Claim | undefined {
  if (claim === undefined) return undefined;
  if (!isSeveral(claim)) return counts(claim) ? claim : undefined;
  const tools = [...claim].filter(counts);
  return tools.length < 2 ? tools[0] : new Set(tools);
}
