// Pins as an operator writes them, public name → canonical name, turned into identities.

import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";

export function findPins(
  pins: Readonly<Record<string, string>>,
  findCanonical: (canonical: string) => Tool | undefined,
): { readonly keys: ReadonlyMap<string, ToolKey>; readonly problems: readonly CatalogProblem[] } {
  const keys = new Map<string, ToolKey>();
  const problems: CatalogProblem[] = [];
  for (const [name, canonical] of Object.entries(pins)) {
    const tool = findCanonical(canonical);
    if (tool !== undefined) keys.set(name, tool.key);
    else problems.push(pinToNothing(name, canonical));
  }
  return { keys, problems };
}

function pinToNothing(name: string, canonical: string): CatalogProblem {
  return catalogProblem({
    code: "pin-to-nothing",
    severity: "warning",
    message: `The name ${quoteText(name)} is pinned to ${quoteText(canonical)}, which does not exist.`,
    fix: "Correct the canonical name in naming.pins, or take the pin out.",
    tools: [canonical],
  });
}
