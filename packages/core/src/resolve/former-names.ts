// Declared aliases and former names, with their policy (RES-1, step `alias`; LOCK-2).

import type { Catalog } from "../catalog/build-catalog.js";
import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";
import type { Lock } from "../naming/lock.js";

/** An old name that keeps leading to its tool for a while. */
export interface Rename {
  readonly from: string;
  /** Canonical name of the tool that is meant. */
  readonly to: string;
  /** Last day (YYYY-MM-DD) on which the old name works; without it, until it is taken out. */
  readonly until?: string;
  /** `accept` silently, `warn` (the default), or `reject` and name the successor. */
  readonly policy?: "accept" | "warn" | "reject";
}

export interface FormerName {
  /** Where the name leads; `undefined` for a tool that is gone. */
  readonly tool: Tool | undefined;
  readonly canonical: string;
  readonly policy: "accept" | "warn" | "reject";
  /** The tool is not gone: its downstream was not asked, or does not answer. */
  readonly isAbsent?: true;
}

/** Who an old name leads to; several entries mean that it is ambiguous. */
export type FormerNames = ReadonlyMap<string, readonly FormerName[]>;

export function buildFormerNames(input: {
  readonly catalog: Catalog;
  readonly renames: readonly Rename[];
  readonly lock: Lock;
  /** YYYY-MM-DD. Without it no window has ended, because the library has no clock. */
  readonly today: string | undefined;
  readonly findCanonical: (canonical: string) => Tool | undefined;
  readonly isAbsent: (key: ToolKey) => boolean;
}): { readonly names: FormerNames; readonly problems: readonly CatalogProblem[] } {
  const names = new Map<string, FormerName[]>();
  const problems: CatalogProblem[] = [];
  const add = (name: string, former: FormerName): void => {
    const before = names.get(name);
    if (before === undefined) names.set(name, [former]);
    else if (!before.some((other) => other.canonical === former.canonical)) before.push(former);
  };

  for (const { from, to, until, policy = "warn" } of input.renames) {
    const tool = input.findCanonical(to);
    if (tool === undefined) problems.push(lostRename(from, to));
    const ended = until !== undefined && input.today !== undefined && input.today > until;
    add(from, { tool, canonical: to, policy: ended ? "reject" : policy });
  }
  const declared = new Set(input.renames.map(({ from }) => from));
  for (const { names: locked } of input.lock.profiles.values()) {
    for (const [name, { key, retired }] of locked) {
      const tool = input.catalog.toolWithKey(key);
      if (tool !== undefined && retired !== "renamed") continue;
      // A declared rename speaks for its name; the lock only remembers.
      if (declared.has(name)) continue;
      const canonical = tool?.canonical ?? input.lock.tools.get(key)?.canonical ?? key;
      if (tool === undefined && input.isAbsent(key))
        add(name, { tool, canonical, policy: "warn", isAbsent: true });
      else add(name, { tool, canonical, policy: "warn" });
    }
  }
  return { names, problems };
}

function lostRename(from: string, to: string): CatalogProblem {
  return catalogProblem({
    code: "rename-to-nothing",
    severity: "warning",
    message: `The old name ${quoteText(from)} is declared to lead to ${quoteText(to)}, which does not exist.`,
    fix: 'Correct "to" in renames, or take the entry out.',
    tools: [to],
  });
}
