// The old names as declared renames, each with its window (LOCK-2).

import { formatCanonicalName, type Rename, type Tool } from "@onym/core";
import type { NamingContext } from "./build-naming.js";
import type { Migration } from "./plan-migration.js";

/** How long old names work. */
export type Window = { readonly until: string } | { readonly since: string; readonly majors?: number };

/** Half a year, where neither a day nor a version is said. */
const USUAL_DAYS = 183;

/** @param today YYYY-MM-DD */
export function usualWindow(today: string): Window {
  const end = new Date(`${today}T00:00:00Z`);
  end.setUTCDate(end.getUTCDate() + USUAL_DAYS);
  return { until: end.toISOString().slice(0, 10) };
}

/** The next major of what a server announces: names change in it, and old ones work in all of it. */
export function nextMajor(version: string | undefined): Window | undefined {
  const [, major] = /^v?(\d{1,9})(?:\.|$)/i.exec(version ?? "") ?? [];
  return major === undefined ? undefined : { since: `${Number(major) + 1}.0.0` };
}

/**
 * An entry for each name that changes and was one tool's alone. On the level of a server the old and the new tool have
 * canonical names of their own; else the old name leads to the tool, whose canonical name stays.
 */
export function aliasBlock(
  { tools, ambiguous }: Pick<Migration, "tools" | "ambiguous">,
  { window, level }: { readonly window: Window } & Pick<NamingContext, "level">,
): readonly Rename[] {
  const unclear = new Set(ambiguous.map(({ name }) => name));
  return tools.flatMap(({ tool, from, to, others }): readonly Rename[] => {
    if (level === "server")
      return from === to
        ? []
        : [{ from: canonicalWith(tool, from), to: canonicalWith(tool, to), ...window, policy: "warn" }];
    return [from, ...others]
      .filter((old) => old !== to && old !== tool.canonical && !unclear.has(old))
      .map((old) => ({ from: old, to: tool.canonical, ...window, policy: "warn" }));
  });
}

/** What the canonical name of a tool is when its server lists it under another raw name. */
export function canonicalWith(
  { toolbox, integration, integrationVersion, toolVersion }: Tool,
  raw: string,
): string {
  return formatCanonicalName({ toolbox, integration, integrationVersion, tool: raw, toolVersion });
}
