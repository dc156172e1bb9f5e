// Logs what is left out or renamed (NAME-8): each problem once, not again on every relisting or reload.

import type { CatalogProblem } from "@onym/core";
import type { Log } from "../../model/log.js";

export type LogProblems = (problems: readonly CatalogProblem[]) => void;

/** Lines at once; thousands of bad names must not flood the log. */
const MAX_LINES = 20;
/**
 * A server may report different problems each time it lists; the oldest are forgotten and may be logged
 * again.
 */
const MAX_REMEMBERED = 10_000;
const MAX_TOOLS = 5;

export function createProblemLog(log: Log): LogProblems {
  const logged = new Set<string>();
  /** Problem lists are replaced, never mutated. */
  const seen = new WeakSet<readonly CatalogProblem[]>();
  return (problems) => {
    if (seen.has(problems)) return;
    seen.add(problems);
    let unlogged = 0;
    let lines = 0;
    for (const { code, severity, message, fix, tools, servers } of problems) {
      const id = JSON.stringify([code, message, tools.slice(0, MAX_TOOLS)]);
      if (severity === "info" || logged.has(id)) continue;
      const [oldest] = logged;
      if (logged.size >= MAX_REMEMBERED && oldest !== undefined) logged.delete(oldest);
      logged.add(id);
      lines += 1;
      if (lines > MAX_LINES) unlogged += 1;
      else
        log("warn", `${message} ${fix}`, {
          code,
          server: servers.length === 1 ? servers[0] : undefined,
          tools: tools.length === 0 ? undefined : showSome(tools),
        });
    }
    if (unlogged > 0)
      log("warn", `${unlogged} more problems with tools; onym doctor and onym names tell them`);
  };
}

function showSome(tools: readonly string[]): string {
  const shown = tools.slice(0, MAX_TOOLS).join(", ");
  return tools.length > MAX_TOOLS ? `${shown} and ${tools.length - MAX_TOOLS} more` : shown;
}
