// Logs what is left out or renamed (NAME-8): each problem once, not again on every relisting or reload.

import { hash } from "node:crypto";
import type { CatalogProblem } from "@onym/core";
import type { Log } from "../../model/log.js";
import { runFirstSteps, type Steps } from "../../model/run-slices.js";

export type LogProblems = (problems: readonly CatalogProblem[]) => void;

/** Lines at once; thousands of bad names must not flood the log. */
const MAX_LINES = 20;
/**
 * A server may report different problems each time it lists; the oldest are forgotten and may be logged
 * again.
 */
const MAX_REMEMBERED = 10_000;
const MAX_TOOLS = 5;

/** Problems per step. Each may hold names of a thousand characters. */
const STEP_PROBLEMS = 64;

export function createProblemLog(log: Log): LogProblems {
  /** Digests: a message holds names, and there may be thousands of long ones. */
  const logged = new Set<string>();
  const oldestFirst = logged.values();
  /** Problem lists are replaced, never mutated. */
  const seen = new WeakSet<readonly CatalogProblem[]>();
  const isNew = ({ code, message, tools }: CatalogProblem): boolean => {
    const id = hash("sha256", JSON.stringify([code, message, tools.slice(0, MAX_TOOLS)]), "base64");
    if (logged.has(id)) return false;
    if (logged.size >= MAX_REMEMBERED) logged.delete(oldestFirst.next().value ?? "");
    logged.add(id);
    return true;
  };
  function* logSteps(problems: readonly CatalogProblem[]): Steps<void> {
    let lines = 0;
    for (const [index, problem] of problems.entries()) {
      if (index > 0 && index % STEP_PROBLEMS === 0) yield;
      if (problem.severity === "info" || !isNew(problem)) continue;
      lines += 1;
      if (lines > MAX_LINES) continue;
      const { code, message, fix, tools, servers } = problem;
      log("warn", `${message} ${fix}`, {
        code,
        server: servers.length === 1 ? servers[0] : undefined,
        tools: tools.length === 0 ? undefined : showSome(tools),
      });
    }
    const unlogged = lines - MAX_LINES;
    if (unlogged > 0)
      log("warn", `${unlogged} more problems with tools; onym doctor and onym names list them`);
  }
  return (problems) => {
    if (seen.has(problems)) return;
    seen.add(problems);
    // Nobody waits for the log.
    void runFirstSteps(logSteps(problems), 1);
  };
}

function showSome(tools: readonly string[]): string {
  const shown = tools.slice(0, MAX_TOOLS).join(", ");
  return tools.length > MAX_TOOLS ? `${shown} and ${tools.length - MAX_TOOLS} more` : shown;
}
