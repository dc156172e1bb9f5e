// Declared aliases and former names, with their policy (RES-1, step `alias`; LOCK-2).

import type { Catalog } from "../catalog/build-catalog.js";
import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { CatalogServer } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { type ToolKey, toolKeyOf } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";
import type { Lock } from "../naming/lock.js";
import { renameWindow } from "./rename-window.js";

/** An old name that keeps leading to its tool for a while. */
export interface Rename {
  readonly from: string;
  /** Canonical name of the tool that is meant. */
  readonly to: string;
  /** Last day (YYYY-MM-DD) on which the old name works. Without it and `since`, until the entry is taken out. */
  readonly until?: string;
  /** The version that the server announced when its tool was renamed: the window is counted in its major versions. */
  readonly since?: string;
  /** For how many whole major versions from `since` on the old name works; 1 where it is not said. */
  readonly majors?: number;
  /** `accept` silently, `warn` (the default), or `reject` and name the successor. */
  readonly policy?: "accept" | "warn" | "reject";
}

export interface FormerName {
  /** Where the name leads; `undefined` for a tool that is gone. */
  readonly tool: Tool | undefined;
  readonly canonical: string;
  readonly policy: "accept" | "warn" | "reject";
  /** From when on it is refused, in words. */
  readonly ends?: string | undefined;
  /** The tool is not gone: its downstream was not asked, or does not answer. */
  readonly isAbsent?: boolean;
}

/** Who an old name leads to; several entries mean that it is ambiguous. */
export type FormerNames = ReadonlyMap<string, readonly FormerName[]>;

export function buildFormerNames(input: {
  readonly catalog: Catalog;
  readonly renames: readonly Rename[];
  readonly lock: Lock;
  /** YYYY-MM-DD. Without it no window has ended, because the library has no clock. */
  readonly today: string | undefined;
  readonly findCanonical: (canonical: string) => readonly Tool[];
  readonly isAbsent: (key: ToolKey) => boolean;
}): {
  readonly names: FormerNames;
  /** Those that the lock holds, by the profile that gave them out. */
  readonly byProfile: ReadonlyMap<string, ReadonlyMap<string, FormerName>>;
  /** Old names that nobody else may be given, and what they lead to. */
  readonly kept: ReadonlyMap<string, string>;
  readonly problems: readonly CatalogProblem[];
} {
  const names = new Map<string, FormerName[]>();
  const problems: CatalogProblem[] = [];
  const add = (name: string, former: FormerName): void => {
    const before = names.get(name);
    if (before === undefined) names.set(name, [former]);
    else if (!before.some((other) => other.canonical === former.canonical)) before.push(former);
  };

  const kept = new Map<string, string>();
  const targets = new Map(input.renames.map(({ from, to }) => [from, to]));
  for (const rename of input.renames) {
    const { from, to, policy = "warn" } = rename;
    if (input.findCanonical(from).length > 0) {
      problems.push(liveRename(from));
      continue;
    }
    const canonical = followRenames(to, targets);
    const [tool, ...others] = input.findCanonical(canonical);
    const isAbsent = tool === undefined && awaits(canonical, input);
    if (others.length > 0 || (tool === undefined && !isAbsent))
      problems.push(lostRename(from, canonical, others.length > 0));
    const lead = others.length > 0 ? undefined : tool;
    const serverVersion =
      lead && input.catalog.servers.find((server) => isOwner(server, lead))?.serverVersion;
    const { state, ends } = renameWindow(rename, { today: input.today, serverVersion });
    if (lead !== undefined && state === "unknown") problems.push(endlessRename(from, lead, serverVersion));
    add(from, { tool: lead, canonical, policy: state === "ended" ? "reject" : policy, ends, isAbsent });
    kept.set(from, `the declared rename to ${canonical}`);
  }
  const declared = new Set(input.renames.map(({ from }) => from));
  const byProfile = new Map<string, Map<string, FormerName>>();
  for (const [profile, { names: locked }] of input.lock.profiles) {
    const given = new Map<string, FormerName>();
    byProfile.set(profile, given);
    for (const [name, { key, retired }] of locked) {
      const tool = input.catalog.toolWithKey(key);
      if (tool !== undefined && retired !== "renamed") continue;
      // A declared rename speaks for its name; the lock only remembers.
      if (declared.has(name)) continue;
      const canonical = tool?.canonical ?? input.lock.tools.get(key)?.canonical ?? key;
      const isAbsent = tool === undefined && input.isAbsent(key);
      const former: FormerName = { tool, canonical, policy: "warn", isAbsent };
      given.set(name, former);
      add(name, former);
    }
  }
  return { names, byProfile, kept, problems };
}

/** A tool that was renamed twice is found by its oldest name too. */
function followRenames(to: string, targets: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let canonical = to;
  for (
    let next = targets.get(canonical);
    next !== undefined && !seen.has(canonical);
    next = targets.get(canonical)
  ) {
    seen.add(canonical);
    canonical = next;
  }
  return canonical;
}

/** A tool of this name may be there as soon as its downstream is. */
function awaits(
  canonical: string,
  { catalog, isAbsent }: { readonly catalog: Catalog; readonly isAbsent: (key: ToolKey) => boolean },
): boolean {
  return catalog.servers.some(
    ({ server, toolbox, integration, version }) =>
      canonical.startsWith(`${integration}@${version}/`) && isAbsent(toolKeyOf({ server, toolbox, raw: "" })),
  );
}

function isOwner({ server, toolbox }: CatalogServer, tool: Tool): boolean {
  return server === tool.server && toolbox === tool.toolbox;
}

/** A caller is not broken because somebody says no version, but whoever declared the window should know. */
function endlessRename(
  from: string,
  { canonical, server }: Tool,
  version: string | undefined,
): CatalogProblem {
  const said = version === undefined ? "says no version" : `says ${quoteText(version)}`;
  return catalogProblem({
    code: "rename-uncounted",
    severity: "warning",
    message: `The window of the old name ${quoteText(from)} is counted in major versions, but the server ${quoteText(server)} ${said}; the name goes on working.`,
    fix: 'Give it a last day with "until", or correct "since".',
    tools: [canonical],
    servers: [server],
  });
}

function lostRename(from: string, to: string, isAmbiguous: boolean): CatalogProblem {
  const reason = isAmbiguous ? "is in several toolboxes" : "does not exist";
  return catalogProblem({
    code: "rename-to-nothing",
    severity: "warning",
    message: `The old name ${quoteText(from)} is declared to lead to ${quoteText(to)}, which ${reason}.`,
    fix: 'Correct "to" in renames, or take the entry out.',
    tools: [to],
  });
}

function liveRename(from: string): CatalogProblem {
  return catalogProblem({
    code: "rename-from-live",
    severity: "warning",
    message: `${quoteText(from)} is declared to be an old name, but a tool has it as its canonical name; it stays that tool's.`,
    fix: 'Take the entry out of renames, or correct "from".',
    tools: [from],
  });
}
