// What a list of tools leaves out or renames, for its `_meta` (NAME-8): a count and the first few, limited to what the caller
// may see. A server may cause tens of thousands of problems with names of a thousand characters, so they are counted in slices,
// and only what is shown is escaped (SAFE-4).

import { type CatalogProblem, escapeText, type NamingTable, type Tool } from "@onym/core";
import { runFirstSteps, SharedTurn, type Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import type { View } from "../gateway-context.js";
import { setBounded } from "../set-bounded.js";

const MAX_PROBLEMS = 5;
const MAX_TOOLS = 5;
const MAX_TEXT = 500;
/** Kinds of callers for each table. */
const MAX_KEPT = 1_000;
/** Problems or tools per step. */
const STEP_ENTRIES = 256;
/** Few problems are counted at once. */
const FIRST_STEPS = 4;

interface Making {
  readonly text: Promise<string>;
  readonly turn: SharedTurn;
}

/** By table and kind of caller: clients list more often than lists change. */
const kept = new WeakMap<NamingTable, Map<string, string | Making>>();

/** As JSON; empty without problems. A promise while it is made in slices. */
export function problemsFor(caller: Caller, view: View): string | Promise<string> {
  const { snapshot, guard } = view;
  const table = snapshot.tableOf(caller);
  if (snapshot.problems.length === 0 && table.problems.length === 0) return "";
  const { confinedTo = null } = caller;
  const visibility = guard.visibility(snapshot, caller);
  const key = JSON.stringify([visibility?.key ?? null, confinedTo, snapshot.confinement?.key ?? null]);
  const made = kept.get(table) ?? new Map<string, string | Making>();
  kept.set(table, made);
  const known = made.get(key);
  if (typeof known === "string") return known;
  known?.turn.join(caller.callerKey);
  if (known !== undefined) return known.text;
  const isAdmitted = ({ toolbox }: Tool): boolean =>
    confinedTo === null || (toolbox !== undefined && confinedTo.includes(toolbox));
  const steps = formatSteps({
    problems: [snapshot.problems, table.problems],
    tools: snapshot.tools.catalog.tools,
    sees:
      visibility === undefined && confinedTo === null
        ? undefined
        : (tool) => isAdmitted(tool) && visibility?.sees(tool) !== false,
  });
  const turn = new SharedTurn(caller);
  const built = runFirstSteps(steps, FIRST_STEPS, turn);
  setBounded(made, key, "value" in built ? built.value : { text: built, turn }, MAX_KEPT);
  if ("value" in built) return built.value;
  built.then(
    (json) => made.set(key, json),
    () => made.delete(key),
  );
  return built;
}

interface ProblemInput {
  readonly problems: readonly (readonly CatalogProblem[])[];
  readonly tools: readonly Tool[];
  /** `undefined` if nothing is hidden from the caller. */
  readonly sees: ((tool: Tool) => boolean) | undefined;
}

function* formatSteps({ problems, tools, sees }: ProblemInput): Steps<string> {
  const isTold = sees === undefined ? () => true : yield* seenSteps(tools, sees);
  const first: CatalogProblem[] = [];
  let count = 0;
  let looked = 0;
  for (const list of problems)
    for (const problem of list) {
      // One problem may name all tools.
      looked += 1 + problem.tools.length;
      if (looked >= STEP_ENTRIES) {
        looked = 0;
        yield;
      }
      if (problem.severity === "info" || !isTold(problem)) continue;
      count += 1;
      keepFirst(first, problem);
    }
  return count === 0 ? "" : JSON.stringify({ count, first: first.map(shorten) });
}

/**
 * Which problems a caller that rules restrict is told: those of tools that it sees, and of nothing else. A problem with a tool
 * that is left out, or its absence, would tell of hidden ones (GW-6).
 */
function* seenSteps(
  tools: readonly Tool[],
  sees: (tool: Tool) => boolean,
): Steps<(problem: CatalogProblem) => boolean> {
  const isSeen = new Map<string, boolean>();
  const servers = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (index % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    const { canonical, toolbox, server, raw } = tool;
    const isVisible = sees(tool);
    if (isVisible) servers.add(server);
    for (const name of [canonical, `${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`])
      isSeen.set(name, isVisible && isSeen.get(name) !== false);
  }
  return (problem) =>
    problem.tools.length > 0 &&
    problem.tools.every((name) => isSeen.get(name) === true) &&
    problem.servers.every((server) => servers.has(server));
}

/** The order does not depend on that in which servers list their tools (GW-4). */
function compare(a: CatalogProblem, b: CatalogProblem): number {
  return compareText(a.code, b.code) || compareText(a.message, b.message);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of tens of thousands of problems, five are shown: the others need no order. */
function keepFirst(first: CatalogProblem[], problem: CatalogProblem): void {
  const last = first[MAX_PROBLEMS - 1];
  if (last !== undefined && compare(problem, last) >= 0) return;
  const at = first.findIndex((each) => compare(problem, each) < 0);
  first.splice(at < 0 ? first.length : at, 0, problem);
  first.length = Math.min(first.length, MAX_PROBLEMS);
}

function shorten({ code, severity, message, fix, tools, servers }: CatalogProblem) {
  return {
    code,
    severity,
    message: message.slice(0, MAX_TEXT),
    fix: fix.slice(0, MAX_TEXT),
    tools: tools.slice(0, MAX_TOOLS).map((name) => escapeText(name.slice(0, MAX_TEXT))),
    servers: servers.slice(0, MAX_TOOLS),
  };
}
