// A problem of the catalog or of a table, with the tools it affects. No other tools are affected (NAME-5).

import type { Problem, Severity } from "../names/problem.js";

export interface CatalogProblem extends Problem {
  /** Canonical names if they exist, otherwise `server/raw` (`toolbox:server/raw`). Escape what is shown; those of look-alikes are. */
  readonly tools: readonly string[];
  /** The affected server ids; empty if the problem is about tools only. */
  readonly servers: readonly string[];
}

export function catalogProblem(problem: {
  readonly code: string;
  readonly severity?: Severity;
  readonly message: string;
  readonly fix: string;
  readonly tools?: readonly string[];
  readonly servers?: readonly string[];
}): CatalogProblem {
  const { code, severity = "error", message, fix, tools = [], servers = [] } = problem;
  return { code, severity, message, fix, tools, servers };
}

/** How problems refer to a tool that has no canonical name yet. */
export function listedToolText(
  owner: { readonly server: string; readonly toolbox?: string | undefined },
  raw: string,
): string {
  const { server, toolbox } = owner;
  return `${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`;
}
