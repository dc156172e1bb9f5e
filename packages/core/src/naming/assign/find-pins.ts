// Resolves an operator's pins, public name → canonical name, to tool identities.

import { type CatalogProblem, catalogProblem } from "../../catalog/catalog-problem.js";
import type { Tool } from "../../catalog/tool.js";
import type { ToolKey } from "../../identity/tool-key.js";
import { compareText } from "../../names/compare-text.js";
import { didYouMean, quoteText } from "../../names/escape-text.js";

export function findPins(
  pins: Readonly<Record<string, string>>,
  {
    findCanonical,
    isAwaited,
    nearestTo,
  }: {
    readonly findCanonical: (canonical: string) => readonly Tool[];
    /** The server was not queried yet or does not answer, so it is not known whether the tool exists. */
    readonly isAwaited: (canonical: string) => boolean;
    readonly nearestTo: (canonical: string) => string | undefined;
  },
): { readonly keys: ReadonlyMap<string, ToolKey>; readonly problems: readonly CatalogProblem[] } {
  const keys = new Map<string, ToolKey>();
  const problems: CatalogProblem[] = [];
  const pinned = new Map<ToolKey, string>();
  // Sorted by code point, so that the order in the file does not decide which of two pins wins.
  for (const [name, canonical] of Object.entries(pins).sort(([a], [b]) => compareText(a, b))) {
    const [tool, ...others] = findCanonical(canonical);
    const before = tool === undefined ? undefined : pinned.get(tool.key);
    if (tool === undefined) {
      if (!isAwaited(canonical)) problems.push(pinToNothing(name, canonical, nearestTo(canonical)));
    } else if (others.length > 0) problems.push(pinToSeveral(name, canonical, [tool, ...others]));
    else if (before !== undefined) problems.push(pinnedTwice(name, before, canonical));
    else {
      keys.set(name, tool.key);
      pinned.set(tool.key, name);
    }
  }
  return { keys, problems };
}

function pinToNothing(name: string, canonical: string, near: string | undefined): CatalogProblem {
  return catalogProblem({
    code: "pin-to-nothing",
    severity: "warning",
    message: `The name ${quoteText(name)} is pinned to ${quoteText(canonical)}, which is no tool here.`,
    fix: `${didYouMean(near)}Correct the canonical name in naming.pins, or take the pin out.`,
    tools: [canonical],
  });
}

function pinToSeveral(name: string, canonical: string, tools: readonly Tool[]): CatalogProblem {
  const meant = tools.map((tool) => tool.canonical);
  return catalogProblem({
    code: "pin-ambiguous",
    severity: "warning",
    message: `The name ${quoteText(name)} is pinned to ${quoteText(canonical)}, which is in several toolboxes.`,
    fix: `Say which one in naming.pins: ${meant.map((each) => quoteText(each)).join(" or ")}.`,
    tools: meant,
  });
}

function pinnedTwice(name: string, before: string, canonical: string): CatalogProblem {
  return catalogProblem({
    code: "pin-twice",
    severity: "warning",
    message: `${quoteText(canonical)} is pinned to ${quoteText(before)} already; ${quoteText(name)} is not used.`,
    fix: "Keep one pin for each tool; declare the other name in renames if it is to lead there.",
    tools: [canonical],
  });
}
