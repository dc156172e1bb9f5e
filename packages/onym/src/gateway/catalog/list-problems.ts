// Reports in a list's `_meta` what it leaves out or renames (NAME-8): a count and the first few, limited to
// what the caller may see.

import { type CatalogProblem, escapeText, type NamingTable, type Tool } from "@onym/core";
import { setBounded } from "../../model/set-bounded.js";
import type { Caller } from "../caller.js";
import type { View } from "../gateway-context.js";
import type { Visibility } from "../visibility/visibility.js";

const MAX_PROBLEMS = 5;
const MAX_TOOLS = 5;
const MAX_TEXT = 500;
/** Kinds of callers for each table. */
const MAX_KEPT = 1_000;

/** By table and kind of caller: clients list more often than lists change. */
const known = new WeakMap<NamingTable, Map<string, string>>();

/** As JSON; empty without problems. */
export function problemsFor(caller: Caller, { snapshot, guard }: View): string {
  const table = snapshot.tableOf(caller);
  const problems = [...snapshot.problems, ...table.problems];
  if (problems.length === 0) return "";
  const visibility = guard.visibility(snapshot, caller);
  const { confinedTo = null } = caller;
  const key = JSON.stringify([visibility?.key ?? null, confinedTo, snapshot.confinement?.key ?? null]);
  const made = known.get(table) ?? new Map<string, string>();
  known.set(table, made);
  const ready = made.get(key);
  if (ready !== undefined) return ready;
  const json = format(
    visibleProblems(problems, { confinedTo, visibility, tools: snapshot.tools.catalog.tools }),
  );
  setBounded(made, key, json, MAX_KEPT);
  return json;
}

function visibleProblems(
  problems: readonly CatalogProblem[],
  {
    confinedTo,
    visibility,
    tools,
  }: {
    readonly confinedTo: readonly string[] | null;
    readonly visibility: Visibility | undefined;
    readonly tools: readonly Tool[];
  },
): readonly CatalogProblem[] {
  const grave = problems.filter(({ severity }) => severity !== "info");
  const seesAll = visibility === undefined || visibility.key === "everything";
  if (seesAll && confinedTo === null) return grave;
  // Policy cannot decide on an omitted tool, so it is reported only if nothing of its server is hidden.
  const isSeen = new Map<string, boolean>();
  const isWhole = new Map<string, boolean>();
  for (const tool of tools) {
    const sees = visibility?.sees(tool) !== false;
    const shown = escapeText(tool.canonical);
    isSeen.set(shown, (isSeen.get(shown) ?? true) && sees);
    isWhole.set(tool.server, (isWhole.get(tool.server) ?? true) && sees);
  }
  return grave.filter(
    ({ tools: named, servers }) =>
      named.length + servers.length > 0 &&
      servers.every((server) => isWhole.get(server) === true) &&
      named.every((name) => isSeen.get(name) ?? servers.length > 0),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorted, independent of the order in which servers list their tools (GW-4). */
function format(problems: readonly CatalogProblem[]): string {
  if (problems.length === 0) return "";
  const sorted = problems.toSorted((a, b) => compare(a.code, b.code) || compare(a.message, b.message));
  const first = sorted.slice(0, MAX_PROBLEMS).map(({ code, severity, message, fix, tools, servers }) => ({
    code,
    severity,
    message: message.slice(0, MAX_TEXT),
    fix: fix.slice(0, MAX_TEXT),
    tools: tools.slice(0, MAX_TOOLS),
    servers: servers.slice(0, MAX_TOOLS),
  }));
  return JSON.stringify({ count: problems.length, first });
}
